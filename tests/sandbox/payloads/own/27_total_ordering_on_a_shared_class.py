# kind: total_ordering on a shared class | must: error WorkflowRuntimeError TypeError
import functools, collections
return "ESCAPED " + str(functools.total_ordering(collections.Counter))
