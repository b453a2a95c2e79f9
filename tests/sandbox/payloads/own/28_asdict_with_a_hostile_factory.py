# kind: asdict with a hostile factory | must: value [[["a", 1]]]
from dataclasses import dataclass, asdict
@dataclass
class D:
    a: int
got = []
asdict(D(1), dict_factory=lambda pairs: got.append(pairs) or {})
return got
