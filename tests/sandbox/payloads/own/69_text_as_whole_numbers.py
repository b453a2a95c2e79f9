# kind: text as whole numbers | must: error WorkflowRuntimeError ValueError
return int("9" * 5000) > 0
