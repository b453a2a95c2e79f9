# kind: a long chain of iterators | must: error WorkflowRuntimeError RecursionError
x = iter([1])
for _ in range(100_000):
    x = enumerate(x)
return str(next(x))[:5]
