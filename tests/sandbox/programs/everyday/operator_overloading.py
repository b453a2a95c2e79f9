class Vec:
    __slots__ = ("x", "y")
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, o): return Vec(self.x + o.x, self.y + o.y)
    def __sub__(self, o): return Vec(self.x - o.x, self.y - o.y)
    def __mul__(self, k): return Vec(self.x * k, self.y * k)
    __rmul__ = __mul__
    def __neg__(self): return Vec(-self.x, -self.y)
    def __matmul__(self, o): return self.x * o.x + self.y * o.y
    def __abs__(self): return (self.x ** 2 + self.y ** 2) ** 0.5
    def __eq__(self, o): return (self.x, self.y) == (o.x, o.y)
    def __lt__(self, o): return abs(self) < abs(o)
    def __iadd__(self, o):
        self.x += o.x
        return self
    def __bool__(self): return bool(self.x or self.y)
    def __getitem__(self, i): return (self.x, self.y)[i]
    def __len__(self): return 2
    def __contains__(self, v): return v in (self.x, self.y)
    def __call__(self, s): return f"{s}:{self.x}"
    def __pow__(self, n): return Vec(self.x ** n, self.y ** n)
    def __repr__(self): return f"Vec({self.x}, {self.y})"
    def __format__(self, spec): return f"<{self.x:{spec or 'd'}}>"
    def __iter__(self): return iter((self.x, self.y))
    def __int__(self): return int(self.x)
    def __truediv__(self, k): return Vec(self.x / k, self.y / k)
    def __radd__(self, o): return self if o == 0 else NotImplemented
a, b = Vec(1, 2), Vec(3, 4)
c = Vec(0, 0)
c += b
result = [repr(a + b), repr(2 * a), repr(-a), a @ b, abs(b), a == Vec(1, 2), sorted([b, a])[0].x, bool(Vec(0, 0)), a[1], len(a), 2 in a, a("hi"), repr(a ** 2), f"{a} {a:03d}", list(a), int(b), repr(b / 2), c.x, repr(sum([a, b])), max(a, b).x, [x for x in a], a != b]
