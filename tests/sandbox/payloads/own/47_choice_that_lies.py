# kind: choice that lies | must: error WorkflowRuntimeError UnknownAgent
from enum import Enum
class K(str, Enum):
    A = "root"
    def __eq__(self, o): return True
    def __hash__(self): return 1
    def __str__(self): return self
return "ESCAPED " + ask(K.A, "q")
