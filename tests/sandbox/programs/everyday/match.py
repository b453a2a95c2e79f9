from dataclasses import dataclass
from enum import Enum
class Kind(Enum):
    A = "a"
    B = "b"
@dataclass
class Point:
    x: int
    y: int
class Box:
    __match_args__ = ("w",)
    def __init__(self, w): self.w = w
def what(v):
    match v:
        case None: return "none"
        case True | False: return "bool"
        case int(n) if n > 100: return f"big {n}"
        case int() | float(): return "number"
        case Kind.A: return "kind a"
        case Point(x=0, y=0): return "origin"
        case Point(x, y) if x == y: return f"diagonal {x}"
        case Point(x=px): return f"point {px}"
        case Box(w): return f"box {w}"
        case {"type": "text", "value": str(s)}: return f"text {s}"
        case {"type": t, **rest}: return f"{t} {sorted(rest)}"
        case [first, *rest]: return f"list {first} {rest}"
        case []: return "empty"
        case "go" | "run": return "command"
        case str() as s: return f"str {s}"
        case _: return "other"
result = [what(v) for v in [None, True, 500, 2.5, Kind.A, Kind.B, Point(0, 0), Point(2, 2), Point(1, 2), Box(3), {"type": "text", "value": "hi"}, {"type": "z", "q": 1}, [1, 2], [], (1,), "go", "abc", {1}, {}]]
