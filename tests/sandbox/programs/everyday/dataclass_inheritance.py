from dataclasses import dataclass, field
@dataclass
class Base:
    id: int
    kind: str = "base"
    def label(self):
        return f"{self.kind}-{self.id}"
@dataclass
class Child(Base):
    kind: str = "child"
    extra: dict = field(default_factory=dict, repr=False)
    def label(self):
        return super().label().upper()
    @classmethod
    def from_dict(cls, d):
        return cls(**d)
    @property
    def size(self):
        return len(self.extra)
c = Child.from_dict({"id": 3, "extra": {"a": 1}})
result = [c.label(), c.size, repr(c), isinstance(c, Base), Base(1).label()]
