# kind: functional enumeration with a mixin | must: error WorkflowRuntimeError TypeError
from enum import Enum, IntEnum
import json
X = Enum("X", {"A": 1}, type=type(json))
return "ESCAPED " + str(X.A)
