from functools import reduce, partial, lru_cache, cache, wraps, total_ordering, cmp_to_key, cached_property
calls = []
@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
@cache
def slow(x):
    calls.append(x)
    return x * 2
def logged(prefix):
    def deco(fn):
        @wraps(fn)
        def inner(*args, **kwargs):
            calls.append((prefix, fn.__name__, args))
            return fn(*args, **kwargs)
        return inner
    return deco
@logged("call")
def add(a, b=1):
    "adds"
    return a + b
@total_ordering
class V:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
class Lazy:
    @cached_property
    def value(self):
        calls.append("lazy")
        return 7
z = Lazy()
result = [fib(60), slow(2) + slow(2), add(1), add(1, b=5), add.__name__, add.__doc__, reduce(lambda a, b: a * b, [1, 2, 3], 10), partial(add, b=10)(1), V(1) <= V(2), V(3) >= V(2), sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)), z.value + z.value, calls]
