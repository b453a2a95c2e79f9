from __future__ import annotations
from typing import TypedDict, Optional, Union, List, Dict, Tuple, Any, Callable, Literal, Protocol, TypeVar, Generic, Iterable
T = TypeVar("T")
class Row(TypedDict, total=False):
    name: str
    n: Optional[int]
class HasName(Protocol):
    def name(self) -> str: ...
class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: List[T] = []
    def push(self, item: T) -> Stack[T]:
        self.items.append(item)
        return self
    def pop(self) -> T:
        return self.items.pop()
def f(xs: Iterable[Union[int, str]], cb: Callable[[int], Any] = lambda v: v, mode: Literal["a", "b"] = "a") -> Dict[str, Tuple[int, ...]]:
    total: int = 0
    y: str | None = None
    for x in xs:
        total += int(x)
    return {"t": (total, cb(total)), "m": (len(mode), y)}
r: Row = {"name": "x"}
r["n"] = None
row = Row(name="y")
s: Stack[int] = Stack()
result = [f([1, "2"]), r, row, s.push(1).push(2).pop(), Stack[int]().push(3).items]
