# kind: width through a text enum | must: error WorkflowRuntimeError ValueError
from enum import Enum
class K(str, Enum):
    A = ">100000000"
    B = "x"
    def strftime(self): return 1
    def __str__(self): return self
return len(format(K.B, K.A))
