# kind: a longer chain of generators | must: error WorkflowRuntimeError RecursionError
def g(x):
    yield from x
x = iter([1])
for _ in range(5000):
    x = g(x)
return next(x)
