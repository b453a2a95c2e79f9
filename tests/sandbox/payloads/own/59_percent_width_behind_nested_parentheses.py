# kind: percent width behind nested parentheses | must: error WorkflowRuntimeError ValueError
return len("%(a(b))100000000d" % {"a(b)": 1})
