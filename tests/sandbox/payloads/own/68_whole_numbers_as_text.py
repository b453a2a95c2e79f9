# kind: whole numbers as text | must: error WorkflowRuntimeError ValueError
return len(str(10 ** 5000))
