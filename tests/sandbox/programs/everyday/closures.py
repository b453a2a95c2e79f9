counter = 0
def bump():
    global counter
    counter += 1
    return counter
def make():
    n = 0
    def inc(by=1):
        nonlocal n
        n += by
        return n
    return inc, lambda: n
inc, get = make()
inc()
inc(5)
bump()
fs = [lambda i=i: i * 10 for i in range(3)]
late = [lambda: i for i in range(3)]
ops = {"add": lambda a, b: a + b, "neg": lambda a: -a}
def apply(f, *args): return f(*args)
compose = lambda *fns: lambda x: [x := f(x) for f in fns][-1]
def outer(x):
    def mid():
        def inner():
            return x * 2
        return inner()
    return mid()
result = [get(), counter, [f() for f in fs], [f() for f in late], ops["add"](1, 2), apply(ops["neg"], 3), compose(lambda v: v + 1, lambda v: v * 2)(3), outer(4), (lambda: 5)(), sorted(ops)]
