# kind: dataclass on a shared class | must: error WorkflowRuntimeError TypeError
from dataclasses import dataclass
import collections
return "ESCAPED " + str(dataclass(collections.Counter))
