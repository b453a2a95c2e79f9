# kind: recursion through special methods | must: value ["deep", "deep", "deep", "deep", "deep", "deep", "deep", "deep"]
class A:
    def __repr__(self): return repr([self])
    def __eq__(self, o): return [self] == [o]
    def __hash__(self): return hash((self,))
    def __iter__(self): return iter(self)
    def __len__(self): return len(self)
    def __bool__(self): return bool(self)
    def __call__(self): return self()
    def __add__(self, o): return o + self
got = []
a = A()
for f in (lambda: repr(a), lambda: a == A(), lambda: hash(a), lambda: list(a), lambda: len(a), lambda: bool(a), lambda: a(), lambda: a + A()):
    try:
        f()
    except RecursionError:
        got.append("deep")
    except TypeError:
        got.append("type")
return got
