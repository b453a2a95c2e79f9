# kind: attributes that a closed object would have | must: value "contained"
import typing
class Obj:
    def __call__(self): return 1
    def __eq__(self, other):
        self.got = other
        return False
    def __hash__(self): return 1
o = Obj()
typing.List["1 + 1"] == typing.List[o]
try:
    return "ESCAPED " + str(o.got.anything)
except AttributeError as e:
    return "contained"
