# kind: functional enumeration with hooks | must: error WorkflowRuntimeError ValueError
from enum import Enum
X = Enum("X", {"A": 1, "__getattr__": lambda self, n: n})
return "ESCAPED " + X.A.hook
