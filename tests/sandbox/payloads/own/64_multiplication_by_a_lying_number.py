# kind: multiplication by a lying number | must: error LimitExceeded
from enum import IntEnum, Enum
class N(IntEnum):
    A = 10 ** 9
    def __int__(self): return 0
    def __index__(self): return 0
class T(str, Enum):
    A = "x" * 1000
    def __len__(self): return 0
try:
    len([1] * N.A)
    return "ESCAPED"
except MemoryError:
    pass
