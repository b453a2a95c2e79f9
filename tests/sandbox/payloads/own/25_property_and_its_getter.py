# kind: property and its getter | must: value "contained"
class A:
    @property
    def x(self): return 1
    @classmethod
    def c(cls): return 1
    @staticmethod
    def s(): return 1
got = []
for thing, name in [(A.x, "fget"), (A.c, "__func__"), (A.s, "__wrapped__"), (A.s, "__globals__"), (A().c, "__self__"), (lambda: 0, "__code__"), (lambda: 0, "__closure__"), (ask, "__globals__"), (gather, "__self__"), (print, "__globals__"), (len, "__self__"), (A.x.fget, "__globals__"), (A.x, "__set_name__"), (A, "__dict__"), (A, "__subclasses__"), (A, "__bases__"), (A(), "__reduce_ex__"), (A(), "__init_subclass__"), (A(), "__getattribute__"), (A(), "__module__"), (A(), "__weakref__")]:
    try:
        getattr(thing, name)
        if name != "fget":
            got.append("ESCAPED " + name)
    except AttributeError:
        pass
return got or "contained"
