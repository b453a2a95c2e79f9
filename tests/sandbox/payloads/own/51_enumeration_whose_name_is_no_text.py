# kind: enumeration whose name is no text | must: value [{"A": 1}, 1]
from enum import Enum
class K(Enum):
    A = 1
    @property
    def name(self): return object()
    @property
    def value(self): return self
return [{K.A: 1}, K.A]
