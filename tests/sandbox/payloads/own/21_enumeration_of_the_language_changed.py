# kind: enumeration of the language changed | must: error WorkflowRuntimeError TypeError
from enum import Enum
Enum.value = 5
return "ESCAPED"
