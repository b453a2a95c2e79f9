# kind: unsendable shapes | must: value ["ShapeError", "ShapeError", "ShapeError", "ShapeError", "ShapeError", "ShapeError", "ShapeError", "ShapeError", "ShapeError", "ShapeError", "ShapeError", "ShapeError", "ShapeError", "ShapeError", "ShapeError", "ShapeError", "ShapeError", "ShapeError"]
from typing import Literal
from enum import Enum
class K(Enum):
    A = object()
cyclic = []
cyclic.append(cyclic)
got = []
for returns in (Literal[b"x"], Literal[1.5], K, {"a": K}, cyclic, {"type": "object"}, [float("nan")], {"a": [1.5, 2.5]}, [10 ** 4000], {5: str}, lambda: 0, object(), (), {"a" * 100: str}, {"_x": str}, "os.system", [[]], Literal[ask]):
    try:
        str(ask("solver", "q", returns=returns))
        got.append("ok")
    except Exception as e:
        got.append(type(e).__name__)
return got
