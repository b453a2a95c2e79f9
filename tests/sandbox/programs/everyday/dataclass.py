from dataclasses import dataclass, field, asdict, replace
@dataclass
class Claim:
    text: str
    score: float = 0.5
    tags: list[str] = field(default_factory=list)
    def __post_init__(self):
        self.text = self.text.strip()
        if not 0 <= self.score <= 1:
            raise ValueError(f"bad score: {self.score!r}")
c = Claim("  hi ", tags=["a"])
try:
    Claim("x", 3)
    err = None
except ValueError as e:
    err = str(e)
result = [repr(c), c == Claim("hi", tags=["a"]), asdict(c), replace(c, score=0.9).score, err, str(c), f"{c}"]
