"""Programs as models write them every day. Each leaves its value in `result`, which must be what Python itself gives."""

# ruff: noqa: E501 - text of programs

from __future__ import annotations

ALIKE: dict[str, str] = {
    "counter": """
from collections import Counter, defaultdict
votes = ["a", "b", "a", "c", "b", "a"]
c = Counter(votes)
groups = defaultdict(list)
for i, v in enumerate(votes):
    groups[v].append(i)
c.update(["c", "c"])
result = [c.most_common(2), dict(groups), sum(c.values()), c["zzz"], sorted((c - Counter("a")).items()), sorted(c.elements()), c.total()]
""",
    "defaultdict of counters": """
from collections import defaultdict, OrderedDict, deque, ChainMap
d = defaultdict(lambda: defaultdict(int))
for k, w in [("x", "a"), ("x", "a"), ("y", "b")]:
    d[k][w] += 1
od = OrderedDict(a=1, b=2)
od.move_to_end("a")
q = deque([1, 2, 3], maxlen=3)
q.append(4)
q.rotate(1)
cm = ChainMap({"a": 1}, {"a": 2, "b": 3})
result = [{k: dict(v) for k, v in d.items()}, list(od), list(q), cm["a"], dict(cm), "x" in d, q.popleft(), repr(q), repr(od)]
""",
    "dataclass": """
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
""",
    "ordered frozen dataclass": """
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
""",
    "dataclass inheritance": """
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
""",
    "enum": """
from enum import Enum, IntEnum, auto, Flag, StrEnum, unique
@unique
class Color(Enum):
    RED = 1
    GREEN = auto()
    def lower(self):
        return self.name.lower()
    @classmethod
    def default(cls):
        return cls.RED
class Level(IntEnum):
    LOW = 1
    HIGH = 3
class Perm(Flag):
    R = auto()
    W = auto()
class S(StrEnum):
    YES = "yes"
    NO = auto()
try:
    Color("x")
    bad = None
except ValueError as e:
    bad = str(e)
result = [Color.RED.name, Color(2).value, Color["GREEN"].lower(), [c.value for c in Color], Level.HIGH > Level.LOW, Level.HIGH + 1, repr(Color.RED), str(Color.RED),
    f"{Level.LOW}", S.NO, f"{S.YES}!", (Perm.R | Perm.W).value, Perm.R in (Perm.R | Perm.W), bad, len(Color), Color.default() is Color.RED, list(Color.__members__), isinstance(Level.LOW, Enum)]
""",
    "enum with fields and lookup": """
from enum import Enum
class Planet(Enum):
    EARTH = (5.97, 6.37)
    MARS = (0.64, 3.39)
    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius
    @property
    def density(self):
        return round(self.mass / self.radius ** 3, 5)
class Status(str, Enum):
    OK = "ok"
    BAD = "bad"
    @classmethod
    def _missing_(cls, value):
        return cls.BAD
import json
Color = Enum("Color", "RED GREEN")
result = [Planet.EARTH.density, Planet.MARS.mass, Status("nonsense").value, json.dumps({"s": Status.OK}), Status.OK == "ok", {Status.OK: 1}["ok"], Color.GREEN.value, [m.name for m in Color]]
""",
    "named tuples": """
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
""",
    "typed dict and annotations": """
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
""",
    "linked structures that name themselves": """
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
""",
    "string formatting": """
name, n, x, big = "Ann", 42, 3.14159, 1234567
d = {"k": [1, 2]}
width, prec = 10, 2
result = [f"{name:>8}|{name:<8}|{name:^8}|{name:*^9}", f"{n:05d} {n:+} {n:x} {n:#b} {n:o} {n:e}", f"{x:.2f} {x:8.3f} {x:.1%} {x:g}", f"{big:,} {big:_}", f"{n=} {x=:.1f}", f"{d['k'][1]} {name!r:>7} {name.upper()}",
    f"{x:{width}.{prec}f}", "{} {}".format(1, 2), "{0}{1}{0}".format("a", "b"), "{a:>4}|{b:.3f}".format(a=1, b=2), "%s %d %5.1f %r %%" % ("s", 3, 2.5, "q"), "%(a)s-%(b)03d" % {"a": 1, "b": 2}, "%s" % [1], "%5s|%-5s|" % ("a", "b"),
    "{{}} {}".format(1), f"{{{n}}}", "{:>{w}}".format("z", w=4), format(n, "b"), format(x, ".1f"), f"{True} {None} {[1, 'a']}", f"{'nested ' + f'{n}'}", "{!r}".format("a"), f"{n:>5}" f"{n:<5}", str(1e21), repr(0.1 + 0.2), f"{1e-7}", f"{2**70}"]
""",
    "string methods": """
s = "  Hello, World! hello  "
t = s.strip()
result = [t.lower().split(", "), t.replace("l", "L", 2), t.startswith(("He", "x")), t.find("World"), t.count("l"), t.partition(", "), t.rpartition(" "), t.title(), t.swapcase(), "a-b_c".translate(str.maketrans("-_", "  ")), "abc".zfill(5), "x,y,,z".split(","),
    "a\\tb".expandtabs(4), "line1\\nline2".splitlines(), t.casefold(), "abc"[::-1], "abcdef"[1:-1:2], "-".join(map(str, range(3))), "ab" * 2, "é".encode("utf-8"), b"hi".decode(), "abc".isalpha(), "12".isdigit(), ord("a"), chr(98), "a" < "b", t.removeprefix("Hello"), t.removesuffix("o"), "%".join("ab"), "x".center(5, "."), "b" in "abc", sorted("hello"), "hello".index("l"), max("abc"), "Aa".isupper(), " ".join(reversed("a b c".split()))][:50]
result = [r if not isinstance(r, bytes) else list(r) for r in result]
""",
    "regular expressions": """
import re
text = "Call 555-1234 or 555-9876; mail: a@b.co, c@d.org. Score: 87% and 12.5%"
pat = re.compile(r"(?P<user>\\w+)@(?P<host>[\\w.]+\\w)")
m = pat.search(text)
def double(match):
    return str(int(match.group(1)) * 2)
result = [re.findall(r"\\d{3}-\\d{4}", text), m.group("user"), m["host"], m.groupdict(), m.span(), [x.group(0) for x in pat.finditer(text)], re.sub(r"(\\d+)%", double, "50%"), re.split(r"[;,.]\\s*", "a; b, c. d"), bool(re.match(r"^\\d+$", "123")),
    re.sub(r"\\s+", " ", "a   b\\n c"), re.fullmatch(r"[a-z]+", "abc").group(), re.findall(r"(\\w)(\\d)", "a1 b2"), re.search(r"answer:\\s*(.+)", "The Answer: 42", re.IGNORECASE).group(1), re.escape("a.b"), re.sub("(a)(b)", r"\\2\\1", "abab"), pat.pattern, float(re.findall(r"(\\d+(?:\\.\\d+)?)%", text)[-1]), re.search("zzz", text) is None]
""",
    "json round trip": """
import json
data = {"a": [1, 2.5, None, True], "b": {"c": "é\\n"}, "d": []}
text = json.dumps(data)
back = json.loads(text)
reply = 'Here you go:\\n```json\\n{"verdict": "ok", "score": 0.9}\\n```'
start, end = reply.index("{"), reply.rindex("}") + 1
try:
    json.loads("{bad}")
except json.JSONDecodeError as e:
    err = [e.msg, e.lineno, e.colno]
except ValueError:
    err = "value"
result = [back == data, json.dumps(data, indent=2, sort_keys=True), json.dumps("é", ensure_ascii=False), json.loads(reply[start:end])["score"], err, json.dumps({1: 2, None: 3}), json.dumps([1, 2], separators=(",", ":")), json.dumps({"s": {1}}, default=list), json.loads("1e3")]
""",
    "datetime": """
from datetime import datetime, timedelta, date, timezone
d = datetime(2024, 2, 28, 12, 30)
e = d + timedelta(days=2, hours=5)
diff = date(2024, 12, 25) - date(2024, 2, 28)
p = datetime.strptime("2024-03-01 08:15", "%Y-%m-%d %H:%M")
result = [e.isoformat(), (e - d).total_seconds(), diff.days, e.strftime("%d/%m/%Y %H:%M %A"), f"{e:%Y-%m-%d}", p > d, p.date().isoformat(), d.weekday(), date.fromisoformat("2024-01-02").year, d.replace(year=2020).isoformat(), str(timedelta(seconds=3661)),
    datetime(2024, 1, 1, tzinfo=timezone.utc).isoformat(), sorted([date(2024, 5, 1), date(2023, 5, 1)])[0].isoformat(), (date(2000, 1, 31) + timedelta(weeks=1)).day, d.date() == date(2024, 2, 28), datetime.combine(date(2020, 1, 1), d.time()).hour, repr(timedelta(1)), str(d), date(2024, 2, 29).timetuple().tm_yday, d.isocalendar()[1]]
""",
    "numbers": """
import math
from decimal import Decimal, ROUND_HALF_UP, getcontext
from fractions import Fraction
import statistics
result = [round(2.675, 2), 7 // 2, -7 // 2, -7 % 3, divmod(17, 5), 2 ** 10, 2 ** -1, 10 / 4, abs(-3), pow(3, 4, 5), math.sqrt(16), math.floor(-1.5), math.ceil(1.2), math.gcd(12, 18), math.isclose(0.1 + 0.2, 0.3), math.inf > 1, math.log(math.e), math.comb(5, 2), math.factorial(5), math.prod([1, 2, 3]), math.hypot(3, 4),
    str(Decimal("1.10") + Decimal("2.20")), str(Decimal("2.5").quantize(Decimal("1"), rounding=ROUND_HALF_UP)), str(Fraction(1, 3) + Fraction(1, 6)), float(Fraction("0.25")), statistics.mean([1, 2, 3, 4]), statistics.median([1, 3, 2]), statistics.mode("aab"), round(statistics.stdev([1, 2, 3, 4]), 4), int("ff", 16), int("1010", 2), bin(5), hex(255), float("1e3"), int(3.9), round(-2.5), sum([0.1] * 3), max(1, 2.5), min([3, 1], key=lambda v: -v), (3).bit_length(), (1.5).is_integer(), 0b11 & 0b01, 5 ^ 1, ~5, 1 << 4, complex(1, 2).imag, 1_000, 1e3, True + True, int(True), sum(range(101)), 3 == 3.0, math.trunc(2.7), math.nan != math.nan, bool(0.0), getcontext().prec]
""",
    "itertools": """
import itertools as it
from itertools import groupby, chain, combinations, accumulate, zip_longest, islice, product, permutations
rows = [("a", 1), ("a", 2), ("b", 3)]
result = [{k: [v for _, v in g] for k, g in groupby(rows, key=lambda r: r[0])}, list(chain([1], [2, 3])), list(chain.from_iterable([[1], [2]])), list(combinations("abc", 2)), list(accumulate([1, 2, 3])), list(accumulate([1, 2, 3], lambda a, b: a * b)), list(zip_longest([1], [2, 3], fillvalue=0)),
    list(islice(it.count(5), 3)), list(product([0, 1], repeat=2)), len(list(permutations([1, 2, 3]))), list(it.takewhile(lambda v: v < 3, [1, 2, 5, 1])), list(it.dropwhile(lambda v: v < 3, [1, 2, 5, 1])), list(it.starmap(pow, [(2, 3), (3, 2)])), list(it.pairwise([1, 2, 3])), list(it.repeat("x", 2)), list(it.compress("abc", [1, 0, 1])), list(it.filterfalse(lambda v: v % 2, range(4))), [list(t) for t in it.tee([1, 2])], list(islice(it.cycle("ab"), 3))]
""",
    "functools": """
from functools import reduce, partial, lru_cache, cache, wraps, total_ordering, cmp_to_key, cached_property
calls = []
@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
@cache
def slow(x):
    calls.append(x)
    return x * 2
def logged(prefix):
    def deco(fn):
        @wraps(fn)
        def inner(*args, **kwargs):
            calls.append((prefix, fn.__name__, args))
            return fn(*args, **kwargs)
        return inner
    return deco
@logged("call")
def add(a, b=1):
    "adds"
    return a + b
@total_ordering
class V:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
class Lazy:
    @cached_property
    def value(self):
        calls.append("lazy")
        return 7
z = Lazy()
result = [fib(60), slow(2) + slow(2), add(1), add(1, b=5), add.__name__, add.__doc__, reduce(lambda a, b: a * b, [1, 2, 3], 10), partial(add, b=10)(1), V(1) <= V(2), V(3) >= V(2), sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)), z.value + z.value, calls]
""",
    "sorting": """
people = [{"name": "Bob", "age": 30}, {"name": "alice", "age": 25}, {"name": "Carl", "age": 30}]
from operator import itemgetter, attrgetter
by = sorted(people, key=lambda p: (-p["age"], p["name"].lower()))
xs = [3, 1, 2]
xs.sort(reverse=True)
words = ["bb", "a", "ccc"]
scores = {"x": 1, "y": 3, "z": 2}
best = max(scores, key=scores.get)
result = [[p["name"] for p in by], xs, sorted(words, key=len), [k for k, _ in sorted(scores.items(), key=lambda kv: kv[1], reverse=True)], best, sorted(people, key=itemgetter("age"))[0]["name"], min(people, key=lambda p: p["age"])["name"], sorted("bA", key=str.lower), sorted([(1, "b"), (1, "a")]), list(reversed(xs)), sorted([True, False]), max([[1, 2], [1, 3]]), sorted({3, 1}), sorted(words, key=lambda w: (len(w), w))[::-1], sum(v for v in scores.values()), sorted(scores, key=lambda k: scores[k])]
""",
    "comprehensions": """
m = [[1, 2, 3], [4, 5, 6]]
result = [[x * y for x in range(3) for y in range(3) if x != y], {k: v for k, v in zip("ab", [1, 2])}, sorted({x % 3 for x in range(10)}), [[row[i] for row in m] for i in range(3)], [x for row in m for x in row], sum(x for x in range(5)), dict(enumerate("ab")), [*range(3), *[9]], {**{"a": 1}, "b": 2}, (lambda *a, **k: (a, k))(*[1, 2], **{"z": 3}), [y for x in [1, 2] if (y := x * 10) > 5], list(zip(*m)), any(x > 5 for r in m for x in r), all(r for r in m), [(i, c) for i, c in enumerate("ab", start=1)], {i: {j: i * j for j in range(2)} for i in range(2)}, [x if x % 2 else -x for x in range(4)], next((x for x in [1, 5, 9] if x > 3), None), next(iter([]), "empty")]
""",
    "generators": """
def countdown(n):
    while n:
        got = yield n
        if got:
            n = got
        n -= 1
    return "done"
def outer():
    r = yield from countdown(2)
    yield r
g = countdown(5)
first = next(g)
sent = g.send(3)
def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
seen = []
def cleanup():
    try:
        yield 1
        yield 2
    finally:
        seen.append("closed")
c = cleanup()
next(c)
c.close()
from itertools import islice
class Repeat:
    def __init__(self, n): self.n = n
    def __iter__(self):
        for i in range(self.n):
            yield i
gen = (x * x for x in range(3))
result = [first, sent, list(outer()), list(islice(fib(), 8)), seen, list(Repeat(3)), sum(Repeat(4)), list(gen), list(gen), 2 in Repeat(3), [*Repeat(2)], max(Repeat(3)), dict(zip("ab", fib()))]
try:
    next(iter([]))
except StopIteration as e:
    result.append(e.value)
""",
    "context managers": """
from contextlib import contextmanager, suppress, nullcontext
log = []
class Timer:
    def __init__(self, name): self.name = name
    def __enter__(self):
        log.append(f"enter {self.name}")
        return self
    def __exit__(self, exc_type, exc, tb):
        log.append(f"exit {self.name} {exc_type.__name__ if exc_type else None} {exc}")
        return exc_type is ValueError
@contextmanager
def tag(name):
    log.append(f"<{name}>")
    try:
        yield name.upper()
    except KeyError as e:
        log.append(f"caught {e}")
    finally:
        log.append(f"</{name}>")
with Timer("a") as t, Timer("b"):
    log.append(t.name)
with Timer("c"):
    raise ValueError("x")
with tag("p") as p:
    log.append(p)
with tag("q"):
    raise KeyError("k")
with suppress(ZeroDivisionError):
    1 / 0
with nullcontext(5) as five:
    log.append(five)
def early():
    with Timer("f"):
        return "returned"
log.append(early())
try:
    with Timer("d"):
        raise TypeError("y")
except TypeError:
    log.append("outer")
result = log
""",
    "decorators": """
import functools
registry = {}
def register(name):
    def wrap(fn):
        registry[name] = fn
        return fn
    return wrap
def retry(times=3, exceptions=(Exception,)):
    def deco(fn):
        @functools.wraps(fn)
        def inner(*a, **k):
            last = None
            for attempt in range(times):
                try:
                    return fn(*a, **k)
                except exceptions as e:
                    last = e
            raise last
        return inner
    return deco
class CountCalls:
    def __init__(self, fn):
        self.fn = fn
        self.n = 0
    def __call__(self, *args):
        self.n += 1
        return self.fn(*args)
tries = []
@retry(times=4, exceptions=(ValueError,))
def flaky():
    tries.append(1)
    if len(tries) < 3:
        raise ValueError("again")
    return "ok"
@register("sq")
@CountCalls
def square(x):
    return x * x
result = [flaky(), len(tries), square(3), registry["sq"](4), square.n, list(registry), flaky.__name__]
""",
    "classes": """
class Account:
    interest = 0.02
    _count = 0
    def __init__(self, owner, balance=0):
        self.owner = owner
        self._balance = balance
        self.__secret = "s"
        Account._count += 1
    @property
    def balance(self):
        return self._balance
    @balance.setter
    def balance(self, value):
        if value < 0:
            raise ValueError("negative")
        self._balance = value
    @classmethod
    def count(cls):
        return cls._count
    @staticmethod
    def valid(name):
        return bool(name)
    def reveal(self):
        return self.__secret
    def __repr__(self):
        return f"{self.__class__.__name__}({self.owner!r}, {self._balance})"
    def __eq__(self, other):
        return isinstance(other, Account) and self.owner == other.owner
    def __hash__(self):
        return hash(self.owner)
class Savings(Account):
    def __init__(self, owner, rate=None, **kw):
        super().__init__(owner, **kw)
        self.rate = rate or self.interest
    def grow(self):
        self.balance += self.balance * self.rate
        return self
a = Account("x", 5)
s = Savings("y", balance=100)
s.grow().grow()
a.balance = 7
try:
    a.balance = -1
except ValueError as e:
    err = e.args
del a.balance if False else a.owner
result = [a.balance, round(s.balance, 2), Account.count(), Account.valid(""), a.reveal(), repr(s), err, hasattr(a, "owner"), getattr(a, "nope", "d"), isinstance(s, Account), issubclass(Savings, Account), type(s).__name__, s == Savings("y"), len({s, Savings("y")}), callable(s.grow), s.__class__ is Savings, vars(s)["owner"], sorted(s.__dict__)[:1], Savings.__name__, Savings.grow.__name__]
""".replace("del a.balance if False else a.owner", "del a.owner"),
    "operator overloading": """
class Vec:
    __slots__ = ("x", "y")
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, o): return Vec(self.x + o.x, self.y + o.y)
    def __sub__(self, o): return Vec(self.x - o.x, self.y - o.y)
    def __mul__(self, k): return Vec(self.x * k, self.y * k)
    __rmul__ = __mul__
    def __neg__(self): return Vec(-self.x, -self.y)
    def __matmul__(self, o): return self.x * o.x + self.y * o.y
    def __abs__(self): return (self.x ** 2 + self.y ** 2) ** 0.5
    def __eq__(self, o): return (self.x, self.y) == (o.x, o.y)
    def __lt__(self, o): return abs(self) < abs(o)
    def __iadd__(self, o):
        self.x += o.x
        return self
    def __bool__(self): return bool(self.x or self.y)
    def __getitem__(self, i): return (self.x, self.y)[i]
    def __len__(self): return 2
    def __contains__(self, v): return v in (self.x, self.y)
    def __call__(self, s): return f"{s}:{self.x}"
    def __pow__(self, n): return Vec(self.x ** n, self.y ** n)
    def __repr__(self): return f"Vec({self.x}, {self.y})"
    def __format__(self, spec): return f"<{self.x:{spec or 'd'}}>"
    def __iter__(self): return iter((self.x, self.y))
    def __int__(self): return int(self.x)
    def __truediv__(self, k): return Vec(self.x / k, self.y / k)
    def __radd__(self, o): return self if o == 0 else NotImplemented
a, b = Vec(1, 2), Vec(3, 4)
c = Vec(0, 0)
c += b
result = [repr(a + b), repr(2 * a), repr(-a), a @ b, abs(b), a == Vec(1, 2), sorted([b, a])[0].x, bool(Vec(0, 0)), a[1], len(a), 2 in a, a("hi"), repr(a ** 2), f"{a} {a:03d}", list(a), int(b), repr(b / 2), c.x, repr(sum([a, b])), max(a, b).x, [x for x in a], a != b]
""",
    "inheritance": """
from abc import ABC, abstractmethod
class Shape(ABC):
    def __init__(self, name): self.name = name
    @abstractmethod
    def area(self): ...
    @property
    @abstractmethod
    def sides(self): ...
    def describe(self): return f"{self.name}: {self.area():.1f}"
class Mixin:
    def describe(self): return "mixed " + super().describe()
class Square(Mixin, Shape):
    def __init__(self, a):
        super().__init__("square")
        self.a = a
    def area(self): return self.a ** 2
    @property
    def sides(self): return 4
try:
    Shape("x")
    err = None
except TypeError:
    err = "abstract"
class A:
    def who(self): return ["A"]
class B(A):
    def who(self): return ["B"] + super().who()
class C(A):
    def who(self): return ["C"] + super().who()
class D(B, C):
    def who(self): return ["D"] + super().who()
class Loud(Square):
    def _hidden(self): return "h"
    def area(self): return super().area() + 1
class Louder(Loud):
    def _hidden(self): return super()._hidden() + "H"
result = [Square(2).describe(), Square(1).sides, err, D().who(), Louder(3).area(), Louder(1)._hidden(), isinstance(D(), C)]
""",
    "exceptions": """
class AppError(Exception):
    def __init__(self, message, code=1, **details):
        super().__init__(message)
        self.code = code
        self.details = details
class NotFound(AppError):
    pass
log = []
def risky(n):
    try:
        if n == 0:
            raise NotFound("nope", code=404, key="k")
        if n == 1:
            return int("x")
        if n == 2:
            return {}["missing"]
        return n
    except ValueError as e:
        raise AppError("wrapped") from e
    except (KeyError, IndexError) as e:
        log.append(f"{type(e).__name__}: {e}")
        return "default"
    else:
        log.append("else")
    finally:
        log.append(f"finally {n}")
out = []
for i in range(4):
    try:
        out.append(risky(i))
    except NotFound as e:
        out.append([str(e), e.code, e.details, e.args])
    except AppError as e:
        out.append([str(e), type(e.__cause__).__name__, isinstance(e, Exception), repr(e)])
try:
    raise RuntimeError
except RuntimeError as e:
    out.append(repr(e))
try:
    try:
        1 / 0
    except ZeroDivisionError:
        raise
except ArithmeticError as e:
    out.append(str(e))
def tryelse():
    try:
        x = 1
    except Exception:
        return "no"
    else:
        return "else"
    finally:
        log.append("f")
out.append(tryelse())
try:
    assert 1 > 2, "assertion text"
except AssertionError as e:
    out.append(str(e))
try:
    [][5]
except LookupError as e:
    out.append(e.__class__.__name__)
try:
    None.x
except AttributeError as e:
    out.append(str(e))
try:
    undefined_name
except NameError as e:
    out.append(str(e))
try:
    raise ValueError("a", 2)
except ValueError as e:
    out.append(list(e.args))
result = [out, log]
""",
    "match": """
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
""",
    "match on mapping keys and constants": """
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
""",
    "walrus and star": """
import re
lines = ["a=1", "b", "c=3"]
pairs = {m.group(1): int(m.group(2)) for line in lines if (m := re.match(r"(\\w)=(\\d)", line))}
first, *middle, last = [1, 2, 3, 4]
(a, b), c = (1, 2), 3
def f(a, /, b, *args, c=3, **kw):
    return [a, b, args, c, kw]
def g(*, key="k"):
    return key
i = 0
while (i := i + 1) < 5:
    pass
head, *_ = "xyz"
x = y = []
x.append(1)
a, b = b, a
result = [pairs, first, middle, last, f(1, 2, 3, 4, c=5, d=6), f(1, b=2), g(key=1), i, head, y, a, b, [*"ab", *range(2)], {*[1], *[2]} == {1, 2}, max(*[1, 2]), print("x", end="") is None]
""",
    "closures": """
counter = 0
def bump():
    global counter
    counter += 1
    return counter
def make():
    n = 0
    def inc(by=1):
        nonlocal n
        n += by
        return n
    return inc, lambda: n
inc, get = make()
inc()
inc(5)
bump()
fs = [lambda i=i: i * 10 for i in range(3)]
late = [lambda: i for i in range(3)]
ops = {"add": lambda a, b: a + b, "neg": lambda a: -a}
def apply(f, *args): return f(*args)
compose = lambda *fns: lambda x: [x := f(x) for f in fns][-1]
def outer(x):
    def mid():
        def inner():
            return x * 2
        return inner()
    return mid()
result = [get(), counter, [f() for f in fs], [f() for f in late], ops["add"](1, 2), apply(ops["neg"], 3), compose(lambda v: v + 1, lambda v: v * 2)(3), outer(4), (lambda: 5)(), sorted(ops)]
""",
    "recursion": """
from functools import lru_cache
def hanoi(n, a="A", b="B", c="C"):
    return [] if n == 0 else hanoi(n - 1, a, c, b) + [(a, c)] + hanoi(n - 1, b, a, c)
def flatten(x):
    return [z for y in x for z in flatten(y)] if isinstance(x, list) else [x]
def perms(s):
    return [s] if len(s) <= 1 else [c + p for i, c in enumerate(s) for p in perms(s[:i] + s[i + 1:])]
@lru_cache(None)
def edit(a, b):
    if not a or not b:
        return len(a) + len(b)
    return min(edit(a[1:], b) + 1, edit(a, b[1:]) + 1, edit(a[1:], b[1:]) + (a[0] != b[0]))
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)
def gcd(a, b): return a if b == 0 else gcd(b, a % b)
memo = {}
def collatz(n):
    if n in memo: return memo[n]
    memo[n] = 1 if n == 1 else 1 + collatz(n // 2 if n % 2 == 0 else 3 * n + 1)
    return memo[n]
result = [len(hanoi(5)), flatten([1, [2, [3, [4]]]]), perms("abc"), edit("kitten", "sitting"), depth(200), gcd(48, 36), collatz(27)]
""",
    "algorithms": """
import heapq
from bisect import bisect_left, insort
from collections import deque
graph = {"a": {"b": 1, "c": 4}, "b": {"c": 2, "d": 5}, "c": {"d": 1}, "d": {}}
def dijkstra(src):
    dist = {n: float("inf") for n in graph}
    dist[src] = 0
    heap = [(0, src)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for v, w in graph[u].items():
            if d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(heap, (dist[v], v))
    return dist
def bfs(s):
    seen, q, order = {s}, deque([s]), []
    while q:
        u = q.popleft()
        order.append(u)
        for v in graph[u]:
            if v not in seen:
                seen.add(v)
                q.append(v)
    return order
def sieve(n):
    p = [True] * (n + 1)
    p[0:2] = [False, False]
    for i in range(2, int(n ** 0.5) + 1):
        if p[i]:
            p[i * i::i] = [False] * len(p[i * i::i])
    return [i for i, v in enumerate(p) if v]
def lcs(a, b):
    t = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            t[i + 1][j + 1] = t[i][j] + 1 if x == y else max(t[i][j + 1], t[i + 1][j])
    return t[-1][-1]
xs = [1, 3, 5]
insort(xs, 4)
m = [[1, 2], [3, 4]]
m[0][1] *= 10
grid = [["."] * 3 for _ in range(2)]
grid[1][2] = "#"
xs[1:3] = [9, 9, 9]
del xs[0]
result = [dijkstra("a"), bfs("a"), sieve(30), lcs("AGGTAB", "GXTXAYB"), xs, bisect_left([1, 3, 5], 3), heapq.nlargest(2, [5, 1, 9]), ["".join(r) for r in grid], m, heapq.nsmallest(1, [("b", 2), ("a", 3)], key=lambda t: t[1])]
""",
    "dicts and sets": """
d = {"a": 1, "b": 2}
d |= {"c": 3}
e = d | {"a": 9}
removed = d.pop("a")
inv = {v: k for k, v in d.items()}
d.setdefault("z", []).append(1)
s, t = {1, 2, 3}, {2, 3, 4}
fs = frozenset("ab")
nested = {"x": {"y": {"z": 1}}}
cur = nested
for k in "xyz":
    cur = cur.get(k, {}) if isinstance(cur, dict) else cur
keys = list(d.keys())
for k in list(d):
    if k == "b":
        del d[k]
merged = {}
for part in [{"p": 1}, {"q": 2}]:
    merged.update(part)
result = [e, removed, inv, d, sorted(s & t), sorted(s | t), sorted(s - t), sorted(s ^ t), s <= {1, 2, 3, 4}, sorted(fs), cur, keys, merged, dict.fromkeys("ab", 0), dict([("k", "v")]), list(d.values()), "z" in d, d.get("nope"), len(d), sorted(d.items(), key=str), s.isdisjoint({9}), {(1, 2): "t"}[(1, 2)], d.popitem(), dict(a=1, **{"b": 2}), next(iter({"first": 1})), [*{"u": 1}], bool({}), set() == set([]), sorted(set("hello")), {1: 2} == {1: 2}]
""",
    "lists": """
xs = [5, 3, 8]
xs.append(1)
xs.extend([2, 2])
xs.insert(0, 7)
xs.remove(2)
p = xs.pop()
q = xs.pop(0)
ys = xs[:]
ys.reverse()
zs = [0] * 3
zs += [1]
zs *= 2
alias = zs
alias *= 1
matrix = [list(range(i, i + 3)) for i in range(0, 9, 3)]
t = (1,)
t += (2, 3)
chunks = [xs[i:i + 2] for i in range(0, len(xs), 2)]
xs2 = list(map(lambda v: v ** 2, filter(lambda v: v > 2, xs)))
result = [xs, p, q, ys, zs, alias is zs, matrix, t, chunks, xs2, xs.index(8), xs.count(3), xs[-1], xs[::2], sorted(xs), sum(xs), [None] * 2, list("ab"), [1, 2] < [1, 3], [1] + [2], 3 in xs, tuple(xs), list(range(10, 0, -3)), len([]), [a for a, *_ in [(1, 2), (3, 4)]], xs.copy() == xs, list(enumerate(xs))[0], list(zip([1, 2], "ab")), [[]] * 2, min(xs), all([]), any([])]
""",
    "printing and repr": """
class A:
    pass
class B:
    def __str__(self): return "str-b"
class C:
    def __repr__(self): return "repr-c"
print("a", 1, [2], sep="-", end="!\\n")
print()
print(*[1, 2, 3])
print("x", None, flush=True)
result = [str(B()), repr(C()), str(C()), f"{B()}", f"{C()!s}", str([C(), "q"]), repr({"a": (1,)}), str({1}), repr("it's"), repr('say "hi"'), str(b"x"), repr(None), str(1.0), repr(1e100), str(True), repr(range(3)), str(type(1)), repr(int), str(ValueError("v")), repr(KeyError("k")), str(KeyError("k")), repr(float("nan")), repr(frozenset()), repr(set()), repr(...), repr((1,)), str(A.__name__), repr("\\n\\t"), ascii("é"), repr(slice(1, 2))]
""",
    "asyncio": """
import asyncio
log = []
async def work(name, delay):
    log.append(f"start {name}")
    await asyncio.sleep(delay)
    log.append(f"end {name}")
    return name
async def main():
    a = await asyncio.gather(work("a", 0.02), work("b", 0.01))
    t1 = asyncio.create_task(work("c", 0.02))
    t2 = asyncio.create_task(work("d", 0.01))
    done, pending = await asyncio.wait({t1, t2}, return_when=asyncio.FIRST_COMPLETED)
    first = [t.result() for t in done]
    await asyncio.wait(pending)
    order = []
    for fut in asyncio.as_completed([work("e", 0.02), work("f", 0.01)]):
        order.append(await fut)
    try:
        await asyncio.wait_for(work("g", 5), timeout=0.01)
        late = None
    except asyncio.TimeoutError:
        late = "timeout"
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(5)
    except TimeoutError:
        late += " block"
    async with asyncio.TaskGroup() as tg:
        ts = [tg.create_task(work(n, 0)) for n in "hi"]
    return [a, first, order, late, [t.result() for t in ts]]
result = asyncio.run(main())
result.append(log[:4])
""",
    "asyncio coordination": """
import asyncio
async def main():
    sem, lock, ev, q = asyncio.Semaphore(2), asyncio.Lock(), asyncio.Event(), asyncio.Queue()
    active, peak, total = 0, 0, 0
    async def limited(i):
        nonlocal active, peak, total
        async with sem:
            active += 1
            peak = max(peak, active)
            await asyncio.sleep(0.001)
            active -= 1
        async with lock:
            total += i
        return i
    rs = await asyncio.gather(*[limited(i) for i in range(5)])
    async def waiter():
        await ev.wait()
        return "released"
    w = asyncio.create_task(waiter())
    await asyncio.sleep(0)
    before = w.done()
    ev.set()
    got = await w
    out = []
    async def worker(name):
        while True:
            item = await q.get()
            if item is None:
                q.task_done()
                return
            out.append(item * 2)
            q.task_done()
    for i in [1, 2, 3, None, None]:
        q.put_nowait(i)
    ws = [asyncio.create_task(worker(n)) for n in "ab"]
    await q.join()
    await asyncio.gather(*ws)
    async def fail(): raise ValueError("bad")
    res = await asyncio.gather(fail(), limited(1), return_exceptions=True)
    try:
        await asyncio.gather(fail(), limited(1))
        err = None
    except ValueError as e:
        err = str(e)
    t = asyncio.create_task(asyncio.sleep(10))
    await asyncio.sleep(0)
    t.cancel()
    try:
        await t
    except asyncio.CancelledError:
        err += " cancelled"
    return [rs, peak, total, before, got, sorted(out), type(res[0]).__name__, res[1], err, t.cancelled(), q.empty()]
result = asyncio.run(main())
""",
    "async generators and iterators": """
import asyncio
from contextlib import asynccontextmanager
async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i
class Chunks:
    def __init__(self, xs): self.xs = list(xs)
    def __aiter__(self): return self
    async def __anext__(self):
        if not self.xs:
            raise StopAsyncIteration
        await asyncio.sleep(0)
        return self.xs.pop(0)
class Session:
    def __init__(self, log): self.log = log
    async def __aenter__(self):
        self.log.append("open")
        return self
    async def __aexit__(self, *exc):
        self.log.append("close")
log = []
@asynccontextmanager
async def resource(name):
    log.append(f"get {name}")
    try:
        yield name
    finally:
        log.append(f"free {name}")
async def main():
    out = [x async for x in ticks(3) if x]
    async for c in Chunks("ab"):
        out.append(c)
    async with Session(log) as s, resource("r") as r:
        out.append(r)
    d = {k: v async for k, v in pairs()}
    return [out, d, sum([x async for x in ticks(4)])]
async def pairs():
    yield "k", 1
result = [asyncio.run(main()), log]
""",
    "thread pool": """
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
def job(n):
    if n == 3:
        raise ValueError(f"bad {n}")
    return n * n
with ThreadPoolExecutor(max_workers=4) as ex:
    mapped = list(ex.map(job, [1, 2, 4]))
    futures = {ex.submit(job, n): n for n in [1, 2, 3, 2]}
    got = {}
    for f in as_completed(futures):
        n = futures[f]
        try:
            got.setdefault(n, []).append(f.result())
        except ValueError as e:
            got[n] = str(e)
    fs = [ex.submit(pow, 2, k) for k in range(3)]
    done, not_done = wait(fs)
    kw = ex.submit(dict, a=1).result()
    e = ex.submit(job, 3).exception()
result = [mapped, sorted(got.items()), sorted(f.result() for f in done), len(not_done), kw, repr(e), all(f.done() for f in fs), len(futures)]
""",
    "random with a seed": """
import random
random.seed(42)
a = [random.randint(1, 100) for _ in range(3)]
rng = random.Random(7)
xs = list(range(5))
rng.shuffle(xs)
result = [a, xs, rng.choice("abc"), rng.sample(range(10), 3), round(rng.uniform(0, 1), 6), random.choices("ab", weights=[1, 3], k=4), round(random.gauss(0, 1), 6)]
""",
    "text tools": """
import textwrap, string
t = string.Template("Dear $name, you owe $$${amount}")
long = "The quick brown fox jumps over the lazy dog"
result = [textwrap.wrap(long, 16), textwrap.fill(long, 20), textwrap.dedent("   a\\n     b"), textwrap.shorten(long, 20), textwrap.indent("a\\nb", "> "), t.substitute(name="Bo", amount=5), string.ascii_lowercase[:3], string.punctuation[:3], string.capwords("a b"), "\\N{BULLET} \\u00e9 \\x41", r"\\d", "a" "b", '''multi
line''']
""",
    "copy": """
import copy
class Node:
    def __init__(self, v): self.v, self.kids = v, []
n = Node([1])
n.kids.append(Node(2))
deep = copy.deepcopy(n)
shallow = copy.copy(n)
deep.v.append(9)
deep.kids[0].v = 5
data = {"a": [1, {"b": 2}]}
c = copy.deepcopy(data)
c["a"][1]["b"] = 7
result = [n.v, deep.v, n.kids[0].v, deep.kids[0].v, shallow.v is n.v, data, c, copy.copy([1, [2]])[1], type(deep) is Node]
""",
    "introspection": """
class A:
    x = 1
    def m(self): return 2
    async def am(self): return 3
def f(a, b=2): "doc"; return a
a = A()
names = [n for n in dir(a) if not n.startswith("_")]
result = [names, type(a) is A, type(1) == int, type("s").__name__, type([]) in (list, tuple), isinstance(5, (int, str)), isinstance(True, int), callable(f), callable(5), f.__name__, f.__doc__, hasattr(a, "m"), getattr(a, "m")(), setattr(a, "y", 5), a.y, type(f).__name__, type(None).__name__, isinstance(None, type(None)), a.__class__.__name__, [].__len__(), "abc".__contains__("b"), A.__name__, isinstance(A, type), issubclass(bool, int), id(a) == id(a), isinstance(f, object), isinstance([], object), type(a.m).__name__, type(x for x in []).__name__, A.m(a), vars(a)]
""",
    "state machine": """
from enum import Enum, auto
from dataclasses import dataclass, field
from typing import Callable
class State(Enum):
    IDLE = auto()
    BUSY = auto()
    DONE = auto()
@dataclass
class Machine:
    state: State = State.IDLE
    history: list = field(default_factory=list)
    handlers: dict = field(default_factory=dict)
    def on(self, state: State) -> Callable:
        def deco(fn):
            self.handlers[state] = fn
            return fn
        return deco
    def step(self, event):
        old = self.state
        self.state = self.handlers.get(self.state, lambda m, e: m.state)(self, event)
        self.history.append((old.name, event, self.state.name))
        return self
m = Machine()
@m.on(State.IDLE)
def idle(m, e):
    return State.BUSY if e == "start" else m.state
@m.on(State.BUSY)
def busy(m, e):
    match e:
        case "finish": return State.DONE
        case "abort": return State.IDLE
        case _: return m.state
for e in ["x", "start", "tick", "finish", "start"]:
    m.step(e)
result = [m.history, m.state is State.DONE, State.DONE in m.handlers]
""",
    "event pipeline": """
from collections import defaultdict, namedtuple
from typing import Iterable, Iterator
Event = namedtuple("Event", "kind payload")
class Bus:
    def __init__(self):
        self._subs = defaultdict(list)
        self.log: list[str] = []
    def subscribe(self, kind):
        def deco(fn):
            self._subs[kind].append(fn)
            return fn
        return deco
    def publish(self, event: Event) -> int:
        for fn in self._subs[event.kind]:
            self.log.append(f"{fn.__name__}({event.payload})")
            fn(event)
        return len(self._subs[event.kind])
bus = Bus()
totals = defaultdict(int)
@bus.subscribe("add")
def add(e): totals["n"] += e.payload
@bus.subscribe("add")
def audit(e):
    if e.payload > 5:
        bus.publish(Event("alert", e.payload))
@bus.subscribe("alert")
def alert(e): totals["alerts"] += 1
def numbers(xs: Iterable[str]) -> Iterator[int]:
    for x in xs:
        try:
            yield int(x)
        except ValueError:
            continue
for n in numbers(["1", "x", "7", "3"]):
    bus.publish(Event("add", n))
result = [dict(totals), bus.log]
""",
    "table as text": """
rows = [("name", "qty", "price"), ("apple", 3, 1.5), ("fig", 12, 0.25)]
widths = [max(len(str(r[i])) for r in rows) for i in range(3)]
lines = ["  ".join(str(c).ljust(w) if i == 0 else str(c).rjust(w) for i, (c, w) in enumerate(zip(r, widths))) for r in rows]
lines.insert(1, "-" * len(lines[0]))
total = sum(q * p for _, q, p in rows[1:])
report = "\\n".join(lines) + f"\\n{'total':<10}{total:>8.2f}"
md = "| " + " | ".join(map(str, rows[0])) + " |\\n|" + "---|" * 3
csv = "\\n".join(",".join(str(c) for c in r) for r in rows)
parsed = [dict(zip(csv.splitlines()[0].split(","), l.split(","))) for l in csv.splitlines()[1:]]
result = [report, md, parsed, [f"{i:>2}. {r[0]:<6}|" for i, r in enumerate(rows, 1)]]
""",
    "loops": """
out = []
for i in range(10):
    if i == 2:
        continue
    if i == 5:
        break
    out.append(i)
else:
    out.append("never")
for x in []:
    pass
else:
    out.append("else")
n = 27
steps = 0
while n != 1:
    n = n // 2 if n % 2 == 0 else 3 * n + 1
    steps += 1
else:
    out.append("while else")
for i, (a, b) in enumerate({"x": 1, "y": 2}.items()):
    out.append(f"{i}{a}{b}")
for ch, num in zip("abc", [1, 2]):
    out.append(ch * num)
i = 0
while True:
    i += 1
    if i > 3: break
for _ in range(2):
    out.append(_)
it = iter([1, 2, 3])
for v in it:
    out.append((v, next(it, None)))
for a, *b in [(1, 2, 3), (4,)]:
    out.append((a, b))
for d in [{"k": 1}]:
    d["k"] += 1
    out.append(d)
result = [out, steps, i]
""",
}
