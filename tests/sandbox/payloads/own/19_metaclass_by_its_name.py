# kind: metaclass by its name | must: error WorkflowRuntimeError AttributeError
from enum import Enum
class E(Enum):
    A = 1
return "ESCAPED " + str(E.__class__)
