# kind: functional enumeration called from C | must: error WorkflowRuntimeError ValueError
from enum import Enum
import itertools
X = list(itertools.starmap(Enum, [("X", {"A": 1, "__getattr__": lambda self, n: n})]))[0]
return "ESCAPED " + X.A.hook
