# kind: nested width in an f-string | must: error WorkflowRuntimeError ValueError
w = 10 ** 8
return len(f"{1:{w}}")
