class A:
    x = 1
    def m(self): return 2
    async def am(self): return 3
def f(a, b=2): "doc"; return a
a = A()
names = [n for n in dir(a) if not n.startswith("_")]
result = [names, type(a) is A, type(1) == int, type("s").__name__, type([]) in (list, tuple), isinstance(5, (int, str)), isinstance(True, int), callable(f), callable(5), f.__name__, f.__doc__, hasattr(a, "m"), getattr(a, "m")(), setattr(a, "y", 5), a.y, type(f).__name__, type(None).__name__, isinstance(None, type(None)), a.__class__.__name__, [].__len__(), "abc".__contains__("b"), A.__name__, isinstance(A, type), issubclass(bool, int), id(a) == id(a), isinstance(f, object), isinstance([], object), type(a.m).__name__, type(x for x in []).__name__, A.m(a), vars(a)]
