# kind: format_map of a text enum | must: error WorkflowRuntimeError AttributeError
from enum import Enum
class K(str, Enum):
    A = "{x.__globals__}"
return "ESCAPED " + getattr(K.A, "format_map")({"x": ask})
