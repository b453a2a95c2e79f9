# kind: forward references | must: value "contained"
import typing
class Obj:
    def __call__(self): return 1
    def __eq__(self, other):
        self.got = other
        return False
    def __hash__(self): return 1
o = Obj()
o.got = None
a, b = typing.List["__import__('os')"], typing.List[o]
a == b
b == a
got = [name for name in ("evaluate", "_evaluate", "__forward_code__", "__forward_arg__") if hasattr(o.got, name)]
return "ESCAPED " + str(got) if got else "contained"
