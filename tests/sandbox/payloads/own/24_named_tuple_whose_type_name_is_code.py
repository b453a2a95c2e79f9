# kind: named tuple whose type name is code | must: error WorkflowRuntimeError ValueError
from collections import namedtuple
return "ESCAPED " + str(namedtuple("P(1)", "a"))
