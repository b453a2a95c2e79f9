# kind: instruction that lies about its length | must: error LimitExceeded
from enum import Enum
class K(str, Enum):
    A = "x" * 100_000
    def encode(self, *a): return b""
    def __str__(self): return self
    def __len__(self): return 0
return ask("solver", K.A)
