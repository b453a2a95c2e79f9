# kind: private methods through an instance | must: error WorkflowRuntimeError AttributeError
from enum import Enum
class E(Enum):
    A = 1
    def go(self):
        return getattr(super(), "_convert_")
return "ESCAPED " + str(E.A.go())
