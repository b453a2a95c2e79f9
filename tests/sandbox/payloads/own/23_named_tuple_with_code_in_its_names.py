# kind: named tuple with code in its names | must: error WorkflowRuntimeError ValueError
from collections import namedtuple
from enum import Enum
class L(str, Enum):
    A = "x, y=__import__('os')"
    def isidentifier(self): return True
    def startswith(self, *a): return False
    def __str__(self): return "ok"
P = namedtuple("P", [L.A])
return "ESCAPED"
