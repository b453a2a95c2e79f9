from typing import NamedTuple
from collections import namedtuple
class Point(NamedTuple):
    x: int
    y: int = 0
    def dist(self):
        return abs(self.x) + abs(self.y)
Pair = namedtuple("Pair", ["left", "right"], defaults=[None])
p = Point(1, y=2)
x, y = p
q = p._replace(x=10)
result = [repr(p), x, y, p[0], q.dist(), p._asdict(), Pair(1), Pair(1, 2)._fields, p == (1, 2), sorted([Point(2), Point(1, 9)])[0].y, repr(Pair("a")), len(p), p + (3,), Point._fields]
