# kind: super of a text enum | must: error WorkflowRuntimeError ValueError
from enum import Enum
class K(str, Enum):
    A = "{0.__globals__}"
    def go(self, x):
        return super().format(x)
return "ESCAPED " + K.A.go(ask)
