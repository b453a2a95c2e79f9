# kind: private methods of an enumeration's class reach modules | must: error WorkflowRuntimeError AttributeError
from enum import Enum
class E(Enum):
    pass
X = getattr(E, "_convert_")("X", "os", lambda n: n == "popen")
return "ESCAPED " + str(X)
