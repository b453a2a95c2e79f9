# kind: shift by a lying number | must: error WorkflowRuntimeError OverflowError
from enum import IntEnum
class N(IntEnum):
    A = 10 ** 9
    def __radd__(self, o): return 0
    def __index__(self): return 0
return (1 << N.A).bit_length()
