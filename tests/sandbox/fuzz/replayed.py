"""A program in which whatever differs from process to process would show: order, hashes, addresses, clocks, random numbers."""

# ruff: noqa: E501 - a table of what is drawn

PROGRAM = """
import asyncio, collections, datetime, enum, fractions, functools, itertools, json, math, random, re, statistics, time
from dataclasses import dataclass

@dataclass(frozen=True)
class Fact:
    name: str
    weight: float

class Plain:
    pass

class Kind(enum.Enum):
    A = 1
    B = "b"
    C = None

def helper(x):
    return x

things = [Plain(), Plain(), Fact("a", 0.1), Fact("b", 2.5), Kind.A, Kind.C, None, True, 1.5, "text", (1, "t"), b"bytes", len, str,
          Plain, helper, ValueError("v"), frozenset("xyz"), fractions.Fraction(1, 3), datetime.date(2020, 1, 2), math.inf]
sets = [set("hello world"), {None, "a", 1, 2.5, (None, "b")}, {Plain() for _ in range(9)}, {Fact(c, 1) for c in "qwerty"},
        set(Kind), {None, len, print, str, int, dict, ValueError, KeyError}, {1.5, 2**70, -1, True}, set(things[:4])]
order = [[repr(item) for item in s] for s in sets]
shown = [repr(t) for t in things] + [str(t) for t in things] + [f"{t!s:>10}" for t in things[:6]]
hashes = [hash(t) for t in things if t not in (len, str, Plain, helper)] + [id(things[0]), id(things[1]), hash(None)]
for s in sets:
    print(s, sorted(s, key=repr)[:2], sep=" | ")
print({"k": helper, helper.__name__: things})
taken = [set("abcdef").pop(), {None, "z"}.pop(), dict.fromkeys({"b", "a", None}), collections.Counter("mississippi").most_common(),
         list(collections.Counter({None: 1, "a": 1})), sorted(things, key=repr)[0] is not None]
clock = [str(datetime.datetime.now()), str(datetime.date.today()), time.time(), time.monotonic(), time.strftime("%c %Z"),
         str(datetime.datetime.now().astimezone()), time.localtime().tm_hour, datetime.datetime.fromtimestamp(10**9).isoformat()]
uuid_like = "-".join(f"{random.getrandbits(32):08x}" for _ in range(4))
numbers = [random.random(), random.gauss(0, 1), random.sample(range(99), 5), random.choice(sorted("abc")), random.Random("s").random(),
           math.fsum([0.1] * 7), statistics.stdev([1, 2.5, 4]), 1e-7, 2**0.5, 1 / 3]
random.shuffle(things)
handles = [ask("solver", f"question {q}", inputs={"set": sorted(sets[0]), "n": n}, label=uuid_like[:8]) for n, q in enumerate("ab")]
async def branch(q):
    first = await ask("critic", q + random.choice("xyz"))
    return await ask("verifier", first, inputs=[first, handles[0]])
later = asyncio.gather(*(branch(q) for q in {"one", "two", "three"}))
told = ask("writer", "all", inputs={"set": set(map(str, handles)), "kinds": [k.name for k in set(Kind)]}, returns={"a": int, "b": list[str]})
try:
    {}[Plain()]
except KeyError as error:
    caught = str(error)
return json.dumps([order, shown, hashes, taken, clock, uuid_like, numbers, [str(h) for h in set(handles)], await later, told, caught], default=str)
"""
