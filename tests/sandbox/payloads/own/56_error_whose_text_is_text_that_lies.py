# kind: error whose text is text that lies | must: error WorkflowRuntimeError E
from enum import Enum
class K(str, Enum):
    A = "x"
    def __str__(self): return self
    def __getitem__(self, i): return 5
class E(Exception):
    def __str__(self): return K.A
raise E
