from enum import Enum
import math
class K(Enum):
    A = 1
class Config:
    LIMIT = 10
    NAME = "n"
cfg = Config()
def f(v):
    match v:
        case {K.A: x}: return ["key", x]
        case Config.LIMIT: return "limit"
        case cfg.NAME: return "name"
        case (math.pi, y): return ["pi", y]
        case {"a": {"b": [1, {"c": c}]}}: return c
        case [[a, b], [c, d]]: return a + b + c + d
        case -1 | 2.5 | b"x": return "literal"
        case ValueError(args=[m]): return m
        case _: return None
result = [f(v) for v in [{K.A: 5}, 10, "n", (math.pi, 2), {"a": {"b": [1, {"c": "deep"}]}}, [[1, 2], [3, 4]], -1, 2.5, ValueError("m"), object]]
