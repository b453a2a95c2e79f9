# kind: private maker of an enumeration's class | must: error WorkflowRuntimeError AttributeError
from enum import Enum
class E(Enum):
    pass
X = getattr(E, "_create_")("X", {"A": 1, "__getattr__": lambda self, n: n})
return "ESCAPED " + X.A.hook
