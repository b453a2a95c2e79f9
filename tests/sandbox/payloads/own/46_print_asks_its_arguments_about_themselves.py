# kind: print asks its arguments about themselves | must: value "contained"
from enum import Enum
class K(str, Enum):
    A = "x"
    def __str__(self): return self
    def join(self, things): return self
    def __add__(self, other): return self
    def __len__(self): return 0
    def encode(self, *a): return 5
print(1, 2, sep=K.A, end=K.A, file=K)
return "contained"
