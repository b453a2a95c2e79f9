from __future__ import annotations
from dataclasses import dataclass, field
from typing import Optional
@dataclass
class Node:
    value: int
    left: Optional[Node] = None
    right: Node | None = None
    meta: dict[str, list[Node]] = field(default_factory=dict)
    def insert(self, v: int) -> Node:
        side = "left" if v < self.value else "right"
        child = getattr(self, side)
        if child is None:
            setattr(self, side, Node(v))
        else:
            child.insert(v)
        return self
    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.value
        if self.right:
            yield from self.right
root = Node(5)
for v in [3, 8, 1, 4, 9]:
    root.insert(v)
result = [list(root), sum(root), repr(root.right)]
