# kind: mro through getattr | must: error WorkflowRuntimeError AttributeError
from enum import Enum
class E(Enum):
    A = 1
return "ESCAPED " + str(getattr(E, "mro")())
