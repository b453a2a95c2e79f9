# kind: enumeration of the language changed by setattr | must: error WorkflowRuntimeError TypeError
from enum import Enum
setattr(Enum, "describe", lambda self: 1)
return "ESCAPED"
