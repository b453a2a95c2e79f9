import functools
registry = {}
def register(name):
    def wrap(fn):
        registry[name] = fn
        return fn
    return wrap
def retry(times=3, exceptions=(Exception,)):
    def deco(fn):
        @functools.wraps(fn)
        def inner(*a, **k):
            last = None
            for attempt in range(times):
                try:
                    return fn(*a, **k)
                except exceptions as e:
                    last = e
            raise last
        return inner
    return deco
class CountCalls:
    def __init__(self, fn):
        self.fn = fn
        self.n = 0
    def __call__(self, *args):
        self.n += 1
        return self.fn(*args)
tries = []
@retry(times=4, exceptions=(ValueError,))
def flaky():
    tries.append(1)
    if len(tries) < 3:
        raise ValueError("again")
    return "ok"
@register("sq")
@CountCalls
def square(x):
    return x * x
result = [flaky(), len(tries), square(3), registry["sq"](4), square.n, list(registry), flaky.__name__]
