from dataclasses import dataclass, FrozenInstanceError
from typing import ClassVar, Optional
@dataclass(order=True, frozen=True)
class P:
    x: int
    y: int = 0
    LIMIT: ClassVar[int] = 10
    name: Optional[str] = None
ps = sorted([P(2), P(1, 5), P(1, 2)])
try:
    ps[0].x = 5
    frozen = False
except FrozenInstanceError as e:
    frozen = str(e)
result = [[(p.x, p.y) for p in ps], frozen, len({P(1), P(1)}), P.LIMIT, max(ps).x, {P(1): "a"}[P(1)], hash(P(1)) == hash(P(1))]
