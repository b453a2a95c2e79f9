"""Programs for the tests of the modules: what each must give, and what must be refused with which words."""

# ruff: noqa: E501 - a program is one line of the table

from __future__ import annotations

VALUES: dict[str, tuple[str, object]] = {
    # -- math, statistics, fractions, decimal, random
    "math": (
        "import math\none = 'acos acosh asin asinh atan cbrt ceil cos cosh degrees erf erfc exp exp2 expm1 fabs floor frexp gamma '\n"
        "one += 'isfinite isinf isnan isqrt lgamma log log10 log1p log2 modf radians sin sinh sqrt tan tanh trunc ulp'\n"
        "for name in one.split():\n    getattr(math, name)(1)\n"
        "for name in 'atan2 copysign fmod gcd hypot isclose ldexp lcm log nextafter pow remainder'.split():\n    getattr(math, name)(3, 2)\n"
        "return [math.factorial(5), math.comb(5, 2), math.perm(5, 2), math.prod([2, 3]), math.fsum([.1] * 10), math.dist([0], [3]), round(math.pi, 2),\n"
        " math.acos(1) + math.log(1) + math.atanh(0)]",
        [120, 10, 20, 6, 1.0, 3.0, 3.14, 0.0],
    ),
    "math of later versions": (
        "import math\nreturn [getattr(math, 'sumprod', lambda a, b: 11)([1, 2], [3, 4]), getattr(math, 'fma', lambda a, b, c: a * b + c)(2.0, 3.0, 1.0)]",
        [11, 7.0],
    ),
    "statistics": (
        "import statistics as s\nx = [1, 2, 2, 3]\n"
        "return [s.mean(x), s.fmean(x), s.median(x), s.median_low(x), s.median_high(x), s.mode(x), s.multimode(x), s.pvariance(x),\n"
        " round(s.stdev(x), 3), round(s.pstdev(x), 3), round(s.variance(x), 3), s.quantiles(x), round(s.geometric_mean(x), 3), round(s.harmonic_mean(x), 3),\n"
        " s.correlation(x, x), round(s.covariance(x, x), 3), s.linear_regression(x, x).slope, s.median_grouped(x)]",
        [2, 2.0, 2.0, 2, 2, 2, [2], 0.5, 0.816, 0.707, 0.667, [1.25, 2.0, 2.75], 1.861, 1.714, 1.0, 0.667, 1.0, 2.0],
    ),
    "fractions": ("from fractions import Fraction\nreturn [str(Fraction('1/3') + Fraction(1, 6)), float(Fraction(1, 4) ** 2), str(Fraction(0.33).limit_denominator(10))]", ["1/2", 0.0625, "1/3"]),
    "decimal": (
        "from decimal import Decimal, getcontext, localcontext, ROUND_HALF_UP, InvalidOperation\n"
        "with localcontext() as c:\n    c.prec = 5\n    a = str(Decimal(1) / Decimal(3))\n"
        "with localcontext(prec=3):\n    b = str(Decimal(1) / Decimal(3))\n"
        "try:\n    Decimal('x')\nexcept InvalidOperation:\n    d = 'bad'\n"
        "return [a, b, d, getcontext().prec, str(Decimal('2.345').quantize(Decimal('0.01'), rounding=ROUND_HALF_UP)), getcontext().rounding]",
        ["0.33333", "0.333", "bad", 28, "2.35", "ROUND_HALF_EVEN"],
    ),
    "random is seeded": (
        "import random\n"
        "random.random(), random.uniform(0, 1), random.randint(1, 6), random.randrange(5), random.choice('ab'), random.choices('ab', k=2), random.sample('abc', 2)\n"
        "random.gauss(0, 1), random.normalvariate(0, 1), random.lognormvariate(0, 1), random.triangular(0, 1), random.betavariate(1, 1), random.gammavariate(1, 1)\n"
        "random.expovariate(1), random.paretovariate(1), random.weibullvariate(1, 1), random.vonmisesvariate(0, 1), random.getrandbits(8)\n"
        "x = [1, 2, 3]\nrandom.shuffle(x)\nrandom.seed(42)\na = random.random()\nb = random.Random(42).random()\nreturn [sorted(x), a == b, round(a, 4)]",
        [[1, 2, 3], True, 0.6394],
    ),
    "random seeded with text": ("import random\nreturn [random.Random('s').random() == random.Random('s').random(), random.Random(b's').random() > 0]", [True, True]),
    # -- json, re, string, textwrap
    "json": (
        "import json\ntry:\n    json.loads('{')\nexcept json.JSONDecodeError as e:\n    bad = [e.pos, isinstance(e, ValueError)]\n"
        "return [json.dumps({'b': 1, 'a': [None, True, 1.5]}, sort_keys=True, indent=1), json.loads('[1, {\"a\": \"\\\\u00e9\"}]'), bad,\n"
        " json.dumps({1, 2}, default=sorted), json.loads('[1.5]', parse_float=str), json.loads('{\"a\": 1}', object_hook=lambda d: sorted(d))]",
        ['{\n "a": [\n  null,\n  true,\n  1.5\n ],\n "b": 1\n}', [1, {"a": "é"}], [1, True], "[1, 2]", ["1.5"], ["a"]],
    ),
    "json of a program object": ("import json\nfrom dataclasses import dataclass\n@dataclass\nclass D:\n    a: int\nreturn json.dumps([D(1)])", '[{"a": 1}]'),
    "json too deep": ("import json\ntry:\n    json.loads('[' * 100000)\nexcept RecursionError:\n    return 'deep'", "deep"),
    "re": (
        "import re\np = re.compile(r'(?P<w>\\w)\\d', re.I)\ntry:\n    re.compile('(')\nexcept re.error as e:\n    bad = type(e).__name__\n"
        "return [re.match('a', 'ab').group(), re.search('b', 'ab').start(), re.fullmatch('a', 'ab'), re.findall(r'\\d', 'a1b2'), [m.span() for m in re.finditer('a', 'aa')],\n"
        " re.split(',', 'a,b,c', maxsplit=1), re.sub('a', lambda m: m.group().upper(), 'abca', count=1), re.subn('a', 'x', 'aa'), re.escape('a.b'), p.search('1x2').groupdict(),\n"
        " p.sub(lambda m: '<' + m['w'] + '>', 'a1'), isinstance(p, re.Pattern), re.findall('^a', 'a\\na', flags=re.M | re.I), re.findall('[[a]', 'a')]",
        ["a", 1, None, ["1", "2"], [[0, 1], [1, 2]], ["a", "b,c"], "Abca", ["xx", 2], "a\\.b", {"w": "x"}, "<a>", True, ["a", "a"], ["a"]],
    ),
    "string": ("import string\nreturn [string.digits, string.capwords('a b'), string.Template('$a ${b}').substitute(a=1, b=2), string.Template('$a').safe_substitute()]", ["0123456789", "A B", "1 2", "$a"]),
    "textwrap": (
        "import textwrap as t\nreturn [t.dedent('  a\\n  b'), t.fill('a b c', 3), t.indent('a', '> '), t.shorten('a b c d', 5, placeholder='.'), t.wrap('a b c', 3)]",
        ["a\nb", "a b\nc", "> a", "a b.", ["a b", "c"]],
    ),
    # -- itertools, functools, operator
    "itertools": (
        "import itertools as i\nx = [1, 2, 3]\n"
        "return [list(i.accumulate(x)), list(i.accumulate(x, max, initial=2)), list(i.chain(x, [4])), list(i.chain.from_iterable([[1], [2]])), len(list(i.combinations(x, 2))),\n"
        " len(list(i.combinations_with_replacement(x, 2))), list(i.compress(x, [1, 0, 1])), list(i.islice(i.count(5), 2)), list(i.islice(i.cycle('ab'), 3)), list(i.dropwhile(lambda n: n < 2, x)),\n"
        " list(i.filterfalse(lambda n: n < 2, x)), [(k, len(list(g))) for k, g in i.groupby('aab')], [k for k, g in i.groupby(['a', 'bb'], len)], list(i.pairwise(x)), len(list(i.permutations(x))), len(list(i.product(x, x))),\n"
        " list(i.repeat(1, 2)), list(i.starmap(pow, [(2, 3)])), list(i.takewhile(lambda n: n < 2, x)), [list(t) for t in i.tee('a')], list(i.zip_longest('ab', 'c', fillvalue='-')), list(i.batched(x, 2))]",
        [[1, 3, 6], [2, 2, 2, 3], [1, 2, 3, 4], [1, 2], 3, 6, [1, 3], [5, 6], ["a", "b", "a"], [2, 3], [2, 3], [["a", 2], ["b", 1]], [1, 2], [[1, 2], [2, 3]], 6, 9, [1, 1], [8], [1],
         [["a"], ["a"]], [["a", "c"], ["b", "-"]], [[1, 2], [3]]],
    ),
    "functools": (
        "import functools as f\ncalls = []\n@f.lru_cache(maxsize=None)\ndef slow(x):\n    'text'\n    calls.append(x)\n    return x * 2\n@f.lru_cache\ndef bare(x):\n    return x\n"
        "@f.cache\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
        "class K:\n    @f.cache\n    def m(self, x):\n        return x + 1\n    @f.cached_property\n    def p(self):\n        return 5\n"
        "k = K()\n"
        "def deco(g):\n    @f.wraps(g)\n    def inner(*a):\n        return g(*a)\n    return inner\n@deco\ndef hello():\n    return 1\n"
        "add = f.partial(lambda a, b, c=0: (a, b, c), 1, c=3)\n"
        "return [slow(2), slow(2), calls, slow.cache_info().hits, slow.__name__, bare(1), fib(80), k.m(1), k.p, hello.__name__, add(2), f.reduce(lambda a, b: a + b, [1, 2], 10),\n"
        " sorted([1, 3, 2], key=f.cmp_to_key(lambda a, b: b - a)), f.partial(int, base=2)('101'), f.update_wrapper(lambda: 1, hello).__name__]",
        [4, 4, [2], 1, "slow", 1, 23416728348467685, 2, 5, "hello", [1, 2, 3], 13, [3, 2, 1], 5, "hello"],
    ),
    "total ordering": (
        "from functools import total_ordering\n@total_ordering\nclass V:\n    def __init__(self, n):\n        self.n = n\n    def __eq__(self, o):\n        return self.n == o.n\n    def __lt__(self, o):\n        return self.n < o.n\nreturn [V(1) <= V(1), V(2) > V(1)]",
        [True, True],
    ),
    "operator": (
        "import operator as o\nfor name in 'add sub truediv floordiv mod mul pow and_ or_ xor rshift lshift eq ne lt le gt ge is_ is_not'.split():\n    getattr(o, name)(3, 2)\n"
        "[o.neg(1), o.pos(1), o.abs(-1), o.not_(1), o.truth(1), o.invert(1), o.index(1), o.contains([1], 1), o.countOf([1], 1), o.indexOf([1], 1), o.concat([1], [2]), o.getitem([1], 0)]\n"
        "try:\n    o.matmul(1, 2)\nexcept TypeError:\n    pass\n"
        "return [o.itemgetter(1)('ab'), o.itemgetter('a', 'b')({'a': 1, 'b': 2}), o.attrgetter('real.imag')(3), o.methodcaller('split', ',')('a,b'), sorted([(1, 2), (0, 3)], key=o.itemgetter(0))[0],\n"
        " o.add(1, 2), o.sub(3, 1), o.truediv(1, 2), o.floordiv(3, 2), o.mod(7, 4), o.mul(2, 3), o.pow(2, 3), o.and_(3, 1), o.or_(2, 1), o.xor(3, 1), o.rshift(4, 1), o.lshift(1, 2),\n"
        " o.eq(1, 1), o.ne(1, 1), o.lt(1, 2), o.le(1, 1), o.gt(1, 2), o.ge(1, 1), o.is_(None, None), o.is_not(None, None), o.mod('%s', 1)]",
        ["b", [1, 2], 0, ["a", "b"], [0, 3], 3, 2, 0.5, 1, 3, 6, 8, 1, 3, 2, 2, 4, True, False, True, True, False, True, True, False, "1"],
    ),
    # -- containers
    "collections": (
        "from collections import Counter, defaultdict, OrderedDict, deque, ChainMap, namedtuple\nfrom collections.abc import Mapping, Iterable\n"
        "c = Counter('aab')\nc.update('b')\nd = defaultdict(list)\nd['a'].append(1)\nq = deque([1, 2], maxlen=2)\nq.append(3)\no = OrderedDict(a=1, b=2)\no.move_to_end('a')\n"
        "P = namedtuple('P', 'x, y', defaults=[2])\np = P(1)\n"
        "return [c.most_common(1), c.total(), dict(c - Counter('a')), d, list(q), list(o), dict(ChainMap({'a': 1}, {'a': 2, 'b': 3})), p, p.y, p._replace(x=5), p._asdict(), P._fields, repr(p),\n"
        " isinstance(d, Mapping), isinstance(3, Iterable)]",
        [[["a", 2]], 4, {"a": 1, "b": 2}, {"a": [1]}, [2, 3], ["b", "a"], {"a": 1, "b": 3}, [1, 2], 2, [5, 2], {"x": 1, "y": 2}, ["x", "y"], "P(x=1, y=2)", True, False],
    ),
    "heapq": (
        "import heapq\nh = [3, 1, 2]\nheapq.heapify(h)\nheapq.heappush(h, 0)\n"
        "return [heapq.heappop(h), heapq.heapreplace(h, 9), heapq.heappushpop(h, 0), heapq.nlargest(2, h), heapq.nsmallest(1, h, key=lambda n: -n), list(heapq.merge([1], [0]))]",
        [0, 1, 0, [9, 3], [9], [0, 1]],
    ),
    "bisect": (
        "import bisect\nx = [1, 3]\nbisect.insort(x, 2)\nbisect.insort_left(x, 2)\nbisect.insort_right(x, 2)\nreturn [x, bisect.bisect(x, 2), bisect.bisect_left(x, 2), bisect.bisect_right(x, 2)]",
        [[1, 2, 2, 2, 3], 4, 1, 4],
    ),
    # -- copy
    "copy": (
        "import copy\nfrom collections import defaultdict, deque, Counter\nfrom dataclasses import dataclass\n@dataclass\nclass N:\n    v: list\n    nxt: object = None\n"
        "n = N([1])\nn.nxt = n\nm = copy.deepcopy(n)\nm.v.append(2)\ns = copy.copy(n)\ns.v.append(3)\nd = copy.deepcopy(defaultdict(list, a=[1]))\nd['b'].append(1)\n"
        "x = [1]\ntwice = copy.deepcopy([x, x])\n"
        "return [n.v, m.v, m.nxt is m, type(d).__name__, d, copy.deepcopy((1, {2}, [3])), copy.copy(deque([1], 3)).maxlen, type(copy.copy(Counter('a'))).__name__, twice[0] is twice[1], copy.copy(len) is len]",
        [[1, 3], [1, 2], True, "defaultdict", {"a": [1], "b": [1]}, [1, [2], [3]], 3, "Counter", True, True],
    ),
    "deep copy keeps a handle": ("import copy\nh = ask('solver', 'q')\nreturn copy.deepcopy({'a': [[h]]})", {"a": [["solver: q"]]}),
    # -- datetime, time
    "datetime": (
        "import datetime as dt\nfrom datetime import datetime, timedelta, timezone, date\nd = datetime(2024, 2, 3, 4, 5)\n"
        "return [repr(d), str(d - timedelta(days=1)), isinstance(d.date(), date), isinstance(d, date), isinstance(d + timedelta(1), datetime), d.timestamp(), str(d.astimezone()), repr(date.today()),\n"
        " str(datetime.now()), str(datetime.utcnow()), str(datetime.today()), datetime.now(timezone.utc).isoformat(), str(datetime.strptime('2024-01-02 Tue', '%Y-%m-%d %a').date()), f'{d:%d.%m.%Y}', d.strftime('%A %j'),\n"
        " str(datetime.fromtimestamp(0)), str(datetime.utcfromtimestamp(0)), str(date.fromtimestamp(86400)), str(date.fromisoformat('2024-01-02')), str(datetime.combine(date(2024, 1, 2), dt.time(3))), (date(2024, 3, 1) - date(2024, 2, 1)).days]",
        ["datetime.datetime(2024, 2, 3, 4, 5)", "2024-02-02 04:05:00", True, True, True, 1706933100.0, "2024-02-03 04:05:00+00:00", "datetime.date(1970, 1, 12)",
         *["1970-01-12 13:46:40"] * 3, "1970-01-12T13:46:40+00:00", "2024-01-02", "03.02.2024", "Saturday 034",
         "1970-01-01 00:00:00", "1970-01-01 00:00:00", "1970-01-02", "2024-01-02", "2024-01-02 03:00:00", 29],
    ),
    "no way to the machine's clock": (
        "from datetime import datetime, date, timedelta, time\nd = datetime.now()\nday = date(2024, 1, 2)\n"
        "moments = [datetime.min, datetime.max, d + timedelta(1), d.replace(year=2000), datetime.combine(day, time(1)), datetime.strptime('2024', '%Y'), datetime.fromisoformat('2024-01-01'), d.astimezone()]\n"
        "days = [d.date(), date.min, date.max, day + timedelta(1), day.replace(year=2000), date.fromisocalendar(2024, 1, 1), date.fromordinal(5), datetime.min.date()]\n"
        "return [sorted({str(m.now()) for m in moments} | {str(m.today()) for m in moments}), sorted({str(a.today()) for a in days})]",
        [["1970-01-12 13:46:40"], ["1970-01-12"]],
    ),
    "date pattern": ("import datetime\nmatch datetime.datetime.now().date():\n    case datetime.date(year=y):\n        return y", 1970),
    "time": (
        "import time\na = time.time()\nb = time.perf_counter()\ntime.sleep(90)\n"
        "return [time.time() - a, time.perf_counter() - b, time.monotonic() == time.process_time(), time.time_ns() == time.monotonic_ns() == time.perf_counter_ns(), time.strftime('%Y'), time.gmtime(0).tm_year, time.localtime().tm_hour,\n"
        " time.mktime(time.gmtime(5)), time.strptime('2024', '%Y').tm_year, time.asctime(), time.ctime(0)]",
        [90.0, 90.0, True, True, "1970", 1970, 13, 5.0, 2024, "Mon Jan 12 13:48:10 1970", "Thu Jan  1 00:00:00 1970"],
    ),
    # -- classes
    "dataclasses": (
        "from dataclasses import dataclass, field, fields, asdict, astuple, replace, is_dataclass, FrozenInstanceError\n"
        "@dataclass(order=True, frozen=True)\nclass D:\n    a: int\n    b: list = field(default_factory=list, compare=False)\n"
        "@dataclass\nclass E(D if False else object):\n    x: int\n    y: int = 0\n    def __post_init__(self):\n        self.y = self.x * 2\n"
        "@dataclass(slots=True)\nclass S:\n    x: int\n    z: int = 1\n"
        "@dataclass(eq=False, repr=False)\nclass B:\n    x: int\n"
        "d = D(1)\ntry:\n    d.a = 3\nexcept FrozenInstanceError:\n    frozen = True\n"
        "return [repr(d), d < D(2), hash(d) == hash(D(1)), asdict(d), astuple(E(1)), replace(d, a=4).a, frozen, E(2).y, repr(S(1, z=2)), repr(B(1)), hash(B(1)) > 0, [f.name for f in fields(D)], is_dataclass(d), asdict(E(1), dict_factory=list)]",
        ["D(a=1, b=[])", True, True, {"a": 1, "b": []}, [1, 2], 4, True, 4, "S(x=1, z=2)", "<B object>", True, ["a", "b"], True, [["x", 1], ["y", 2]]],
    ),
    "marks among annotations": (
        "from dataclasses import dataclass, KW_ONLY, InitVar\nfrom typing import ClassVar\n@dataclass\nclass S:\n    n: ClassVar[int] = 0\n    x: int\n    scale: InitVar[int]\n    _: KW_ONLY\n    z: int = 1\n"
        "    def __post_init__(self, scale):\n        self.x *= scale\nreturn repr(S(2, 3, z=2))",
        "S(x=6, z=2)",
    ),
    "abc": ("from abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def f(self):\n        pass\nclass B(A):\n    def f(self):\n        return 1\nreturn [B().f(), isinstance(B(), A)]", [1, True]),
    "contextlib": (
        "from contextlib import contextmanager, asynccontextmanager, suppress, nullcontext, closing\nlog = []\n@contextmanager\ndef block(n):\n    log.append(n)\n    try:\n        yield n + 1\n    finally:\n        log.append('out')\n"
        "class C:\n    def close(self):\n        log.append('closed')\n"
        "with block(1) as a, nullcontext(5) as b, closing(C()), suppress(KeyError):\n    {}['k']\n@asynccontextmanager\nasync def later():\n    yield 7\nasync with later() as c:\n    log.append(c)\nreturn [a, b, log]",
        [2, 5, [1, "closed", "out", 7]],
    ),
    "asdict of a handle": ("from dataclasses import dataclass, asdict\n@dataclass\nclass W:\n    out: object\nreturn asdict(W([ask('solver', 'q')]))", {"out": ["solver: q"]}),
    "enum": (
        "from enum import Enum, IntEnum, StrEnum, Flag, IntFlag, auto, unique\nC = Enum('C', 'RED GREEN')\nW = Enum('W', {'A': 'x'})\n@unique\nclass P(IntEnum):\n    LOW = auto()\n    HIGH = auto()\n"
        "class F(Flag):\n    A = auto()\n    B = auto()\nclass I(IntFlag):\n    X = 1\n    Y = 2\nclass S(StrEnum):\n    X = auto()\nclass M(str, Enum):\n    A = 'a'\n    def shout(self):\n        return self.value.upper()\n"
        "class Base(Enum):\n    def hello(self):\n        return self.name\nclass K(Base):\n    Z = 1\n"
        "return [repr(C.RED), W.A.value, repr(P.HIGH), P.HIGH > P.LOW, P.HIGH ** 2, repr(F.A | F.B), (I.X | I.Y).value, S.X, M('a').shout(), M.A == 'a', K.Z.hello(), [c.name for c in C], P['LOW'].value, isinstance(P.LOW, Enum), isinstance(I.X, Flag), len(C), str(M.A), f'{S.X}']",
        ["<C.RED: 1>", "x", "<P.HIGH: 2>", True, 4, "<F.A|B: 3>", 3, "x", "A", True, "Z", ["RED", "GREEN"], 1, True, True, 2, "M.A", "x"],
    ),
    "typing": (
        "import typing\nfrom typing import Any, Optional, Union, Callable, Literal, TypedDict, NamedTuple, Generic, Protocol, TypeVar, Type, cast, NewType, overload, final, runtime_checkable\n"
        "T = TypeVar('T')\nclass Point(NamedTuple):\n    x: int\n    y: int = 2\n    def total(self):\n        return self.x + self.y\nclass Movie(TypedDict, total=False):\n    name: str\n"
        "class Stack(Generic[T]):\n    def __init__(self):\n        self.items: list[T] = []\n@runtime_checkable\nclass HasName(Protocol):\n    name: str\n@final\nclass Last:\n    pass\n"
        "@typing.override\ndef f(a: Optional[int], b: Callable[..., int], c: Union[int, 'str'], d: Type[Any], e: Literal['x']) -> Any:\n    return a\n@typing.no_type_check\ndef g():\n    pass\n@overload\ndef h():\n    pass\n"
        "Q = NamedTuple('Q', [('a', int)])\nU = NewType('U', int)\nD = TypedDict('D', {'a': int})\np = Point(1)\nx, y = p\ntry:\n    typing.assert_never(1)\nexcept AssertionError:\n    pass\n"
        "return [p, x + y, p.total(), p == (1, 2), p._replace(x=4).x, repr(p), Movie(name='m'), Movie({'name': 'n'})['name'], Stack[int]().items, Q(3).a, U(5), D(a=1), cast(int, 'z'), typing.TYPE_CHECKING, f(1, 2, 3, 4, 5)]",
        [[1, 2], 3, 3, True, 4, "Point(x=1, y=2)", {"name": "m"}, "n", [], 3, 5, {"a": 1}, "z", False, 1],
    ),
    "returns a typed dict": ("from typing import TypedDict\nclass R(TypedDict):\n    ok: bool\nreturn ask('solver', 'q', returns=R).ok", True),
    # -- modules as such
    "import forms": ("import collections.abc\nimport datetime as d, json\nfrom math import pi as p\nreturn [collections.abc.Sized is not None, repr(json), json.__name__, round(p, 1), sorted(dir(d))[0]]", [True, "<module 'json'>", "json", 3.1, "MAXYEAR"]),
    "close match": ("import json\ntry:\n    json.dump\nexcept AttributeError as e:\n    return str(e)", "the module 'json' of the workflow language has no 'dump'; did you mean 'dumps'?"),
}  # fmt: skip

ESCAPES: dict[str, tuple[str, str]] = {
    "enumeration with hooks from text": ("from enum import Enum\nreturn Enum('E', {'__getattr__': lambda s, n: n, 'A': 1}).A.x", "is no name"),
    "enumeration mixed into a type": ("from enum import Enum\nEnum('E', {'A': 'x'}, type=str)", "class statement"),
    "hooks through an empty enumeration of the program": ("from enum import Enum\nclass B(Enum):\n    pass\nB('E', {'__del__': lambda s: 1})", "is no name"),
    "an enumeration cannot be changed": ("import enum\nenum.Enum.name = 1", "cannot be changed"),
    "named tuple with code for a field": ("from collections import namedtuple\nnamedtuple('P', ['x=print(1)'])", "is no name"),
    "named tuple with a lying name": ("from enum import Enum\nfrom collections import namedtuple\nclass L(str, Enum):\n    A = 'x=1'\n    def isidentifier(self):\n        return True\nnamedtuple('P', [L.A])", "is no name"),
    "typed dict with a hidden field": ("from typing import TypedDict\nTypedDict('D', {'__slots__': int})", "is no name"),
    "Type makes no class": ("from typing import Type\nType[int]('X', (object,), {})", "not callable"),
    "type[...] makes no class": ("type[int]('X', (object,), {})", "one argument"),
    "get_type_hints evaluates": ("from typing import get_type_hints", "get_type_hints"),
    "make_dataclass writes code": ("from dataclasses import make_dataclass", "make_dataclass"),
    "dataclass of a foreign class": ("from dataclasses import dataclass\nfrom fractions import Fraction\ndataclass(Fraction)", "classes of the program"),
    "total ordering of a foreign class": ("import functools, fractions\nfunctools.total_ordering(fractions.Fraction)", "classes of the program"),
    "partial hides its function": ("import functools\nfunctools.partial(print).func", "func"),
    "attrgetter is guarded": ("import operator\noperator.attrgetter('real.__subclasses__')(1)", "not part of the workflow language"),
    "methodcaller is guarded": ("import operator\noperator.methodcaller('__reduce_ex__', 2)(1)", "not part of the workflow language"),
    "regular expressions do not write to the standard output": ("import re\nre.compile('a', 128)", "re.DEBUG"),
    "indentation is bounded": ("import json\njson.dumps([1], indent=10 ** 8)", "at most 32"),
    "no encoder of one's own": ("import json\njson.dumps([1], cls=dict)", "takes no cls"),
    "factorial is bounded": ("import math\nmath.factorial(10 ** 7)", "not computed"),
    "precision is bounded": ("import decimal\ndecimal.getcontext().prec = 10 ** 9", "1000 digits"),
    "random bits are bounded": ("import random\nrandom.getrandbits(10 ** 10)", "at most"),
    "no number is slept": ("import time\ntime.sleep(float('nan'))", "cannot sleep"),
    "no real randomness": ("import random\nrandom.SystemRandom()", "SystemRandom"),
    "a module cannot be changed": ("import json\njson.dumps = 1", "cannot be changed"),
    "an unknown module": ("import os", "no module 'os'"),
}  # fmt: skip
