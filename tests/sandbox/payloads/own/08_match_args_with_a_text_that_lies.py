# kind: match_args with a text that lies | must: error WorkflowRuntimeError TypeError
from enum import Enum
class L(str, Enum):
    A = "__traceback__"
    def startswith(self, *a): return False
    def __eq__(self, o): return False
    def __hash__(self): return 1
class E(Exception):
    __match_args__ = (L.A,)
try:
    raise E
except E as e:
    match e:
        case E(tb):
            return "ESCAPED " + str(tb)
