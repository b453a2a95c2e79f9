# kind: special method of a text enum with a width | must: error LimitExceeded
from enum import Enum
class K(str, Enum):
    B = "x"
return len(K.B.__format__(">1000000000"))
