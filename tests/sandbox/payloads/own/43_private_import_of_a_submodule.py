# kind: private import of a submodule | must: error WorkflowRuntimeError ImportError
import concurrent._members as m
return "ESCAPED"
