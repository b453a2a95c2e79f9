"""Handles, passed through everything that models pass values through: program, value, sizes of the batches."""

# ruff: noqa: E501 - a program is one line of the table

from __future__ import annotations

HANDLES: dict[str, tuple[str, object, list[int]]] = {
    "join of a generator": ("return '; '.join(ask('solver', q) for q in 'abc')", "solver: a; solver: b; solver: c", [3]),
    "sum of a generator": ("return sum(ask('solver', q, returns=int) for q in 'abc')", 3, [3]),
    "max and sorted of generators": ("return [max(ask('solver', q) for q in 'ab'), sorted(ask('critic', q) for q in 'ba')]", ["solver: b", ["critic: a", "critic: b"]], [2, 2]),
    "set of a generator": ("return sorted(set(ask('solver', 'q') for q in 'ab'))", ["solver: q"], [2]),
    "counter of a generator": ("from collections import Counter\nreturn Counter(ask('solver', 'q').strip().lower() for _ in range(2)).most_common(1)", [["solver: q", 2]], [1, 1]),
    "majority vote": (
        "from collections import Counter\nvotes = [ask('solver', 'q', label=f'v{i}') for i in range(3)]\nbest, n = Counter(v.strip() for v in votes).most_common(1)[0]\nreturn [best, n, n / len(votes)]",
        ["solver: q", 3, 1.0], [3],
    ),
    "dict of handles": (
        "answers = {q: ask('solver', q) for q in 'ab'}\ntext = '\\n'.join(f'{k}={v}' for k, v in answers.items())\nreturn [text, ', '.join(answers.values()), len(answers), 'a' in answers]",
        ["a=solver: a\nb=solver: b", "solver: a, solver: b", 2, True], [2],
    ),
    "record into a dict": ("r = ask('solver', 'q', returns={'a': int, 'b': str})\nd = {**r, 'c': 3}\ne = dict(r)\nf = {}\nf.update(r)\ndef g(a, b): return [a, b]\nreturn [d, e == f, g(**r), r | {'a': 5}]", [{"a": 1, "b": "solver: q", "c": 3}, True, [1, "solver: q"], {"a": 5, "b": "solver: q"}], [1]),
    "is None": ("h = ask('solver', 'q')\nreturn [h is None, h is not None, None is h, h if h is not None else 'no']", [False, True, False, "solver: q"], [1]),
    "optional reply": ("from typing import Optional\nh = ask('solver', 'q', returns=Optional[int])\nreturn h is None", True, [1]),
    "dataclass of handles": (
        "from dataclasses import dataclass, asdict, replace, field\nimport json\n@dataclass\nclass D:\n    q: str\n    a: str = ''\n    more: list = field(default_factory=list)\n"
        "ds = [D(q, ask('solver', q), [ask('critic', q)]) for q in 'ab']\nreturn [[asdict(d) for d in ds], json.dumps(ds[0].a), ds[0] == ds[1], repr(ds[0]), replace(ds[1], q='z').a]",
        [[{"q": "a", "a": "solver: a", "more": ["critic: a"]}, {"q": "b", "a": "solver: b", "more": ["critic: b"]}], '"solver: a"', False, "D(q='a', a='solver: a', more=['critic: a'])", "solver: b"],
        [4],
    ),
    "reply as a dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass Inner:\n    n: int\n@dataclass\nclass Out:\n    text: str\n    items: list[Inner]\n    inner: Inner\n"
        "    def total(self):\n        return self.inner.n + sum(i.n for i in self.items)\no = ask('solver', 'q', returns=Out)\nmatch o:\n    case Out(text=t, inner=Inner(n)):\n        got = [t, n]\nreturn [got, o.total(), type(o.items[0]).__name__, o]",
        [["solver: q", 1], 2, "Inner", {"text": "solver: q", "items": [{"n": 1}], "inner": {"n": 1}}], [1],
    ),
    "reply as an enum": ("from enum import Enum\nclass V(Enum):\n    YES = 'yes'\n    NO = 'no'\nv = ask('solver', 'q', returns=V)\nreturn [v is V.YES, v == V.YES, v.name, {V.YES: 'y'}[v]]", [False, True, "YES", "y"], [1]),
    "reply as a named tuple": ("from typing import NamedTuple\nclass R(NamedTuple):\n    a: int\n    b: str\nr = ask('solver', 'q', returns=R)\na, b = r\nreturn [a, b, r.a]", [1, "solver: q", 1], [1]),
    "reply as a typed dict": ("from typing import TypedDict\nclass R(TypedDict):\n    a: int\nr = ask('solver', 'q', returns=R)\nreturn [r['a'], r]", [1, {"a": 1}], [1]),
    "reply as a literal": ("from typing import Literal\nv = ask('solver', 'q', returns=Literal['yes', 'no'])\nreturn {'yes': 1}.get(v)", 1, [1]),
    "list of records": ("rs = ask('solver', 'q', returns=[{'n': int, 'tag': str}])\nreturn [len(rs), rs[0].n, [r['tag'] for r in rs], sorted(rs, key=lambda r: r.n)[0].tag, max(rs, key=lambda r: r['n']).n]", [1, 1, ["solver: q"], "solver: q", 1], [1]),
    "functional tools": (
        "from functools import reduce, partial\nimport itertools, operator\nhs = [ask('solver', q) for q in 'ab']\nup = list(map(str.upper, hs))\nok = list(filter(lambda h: 'a' in h, hs))\n"
        "more = list(map(partial(ask, 'critic'), 'xy'))\nreturn [up, ok, reduce(lambda a, b: a + '|' + b, hs), more, list(itertools.chain(hs, more))[3], [len(h) for h in hs], list(zip(hs, more))[0][1], list(map(len, hs)), list(itertools.accumulate(hs))[1], sorted(hs, key=operator.itemgetter(-1), reverse=True)[0]]",
        [["SOLVER: A", "SOLVER: B"], ["solver: a"], "solver: a|solver: b", ["critic: x", "critic: y"], "critic: y", [9, 9], "critic: x", [9, 9], "solver: asolver: b", "solver: b"], [2, 2],
    ),
    "starmap of calls": ("import itertools\nreturn list(itertools.starmap(ask, [('solver', 'a'), ('critic', 'b')]))", ["solver: a", "critic: b"], [2]),
    "text tools on handles": (
        "import re, json, textwrap\nh = ask('solver', 'n=42')\nreturn [re.search(r'\\d+', h).group(), re.sub(r'\\d', '#', h), json.dumps({'h': [h]}), textwrap.shorten(h, 12), h.split('=')[1], h[-2:], h + '!', '> ' + h, f'{h:>13}|{h!r}', h in ['solver: n=42'], h.startswith('solver'), int(h[-2:]), list(h)[0], 'a' < h, h == 'solver: n=42', '%s' % h, str(h), bool(h), h * 2 == h + h, '{}'.format(h), h.replace('n', 'm')]",
        ["42", "solver: n=##", '{"h": ["solver: n=42"]}', "solver: n=42", "42", "42", "solver: n=42!", "> solver: n=42", " solver: n=42|'solver: n=42'", True, True, 42, "s", True, True, "solver: n=42", "solver: n=42", True, True, "solver: n=42", "solver: m=42"],
        [1],
    ),
    "numbers": ("n = ask('solver', 'q', returns=int)\nimport math\nxs = [0] * n\nxs[0] += n\nt = 5\nt += n\nt *= n\nreturn [n + 1, 1 + n, n * 'ab', [1, 2][n], range(3)[n], math.sqrt(n), n == 1, n in (1, 2), divmod(7, n), -n, n ** 2, 2 ** n, n << 2, n % 2, xs, t, list(range(n)), round(n / 3, 2), max(n, 3), abs(n), f'{n:03d}', hash(n) == 1, {1: 'x'}[n], n and 5, not n]", [2, 2, "ab", 2, 1, 1.0, True, True, [7, 0], -1, 1, 2, 4, 1, [1], 6, [0], 0.33, 3, 1, "001", True, "x", 5, False], [1]),
    "condition and loop": (
        "draft = ask('writer', 'w')\nfor i in range(3):\n    review = ask('critic', f'r{i}', inputs={'draft': draft}, returns={'ok': bool, 'notes': list[str]})\n    if review.ok and i >= 1:\n        break\n    draft = ask('writer', f'w{i}', inputs={'draft': draft, 'notes': review.notes})\nreturn [draft, i]",
        ["writer: w0", 1], [1, 1, 1, 1],
    ),
    "futures as keys": (
        "from concurrent.futures import ThreadPoolExecutor, as_completed\nqs = ['a', 'b']\nout = {}\nwith ThreadPoolExecutor(max_workers=2) as ex:\n    futures = {ex.submit(ask, 'solver', q): q for q in qs}\n    for f in as_completed(futures):\n        out[futures[f]] = f.result()\nreturn out",
        {"a": "solver: a", "b": "solver: b"}, [2],
    ),
    "futures with equal values": (
        "from concurrent.futures import ThreadPoolExecutor\ndef job(q):\n    return ask('solver', 'same', returns={'n': int})\nwith ThreadPoolExecutor() as ex:\n    fs = {ex.submit(job, q): q for q in 'abc'}\nreturn [len(fs), sorted(f.result().n for f in fs)]",
        [3, [1, 1, 1]], [3],
    ),
    "tasks in sets and dicts": (
        "import asyncio\nasync def one(q):\n    return await ask('solver', q)\nasync def main():\n    names = {asyncio.create_task(one(q)): q for q in 'ab'}\n    pending, got = set(names), {}\n    while pending:\n        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)\n        for t in done:\n            got[names[t]] = t.result()\n    return got\nreturn asyncio.run(main())",
        {"a": "solver: a", "b": "solver: b"}, [2],
    ),
    "workers on a queue": (
        "import asyncio\nasync def main():\n    q, out = asyncio.Queue(), []\n    async def worker():\n        while True:\n            item = await q.get()\n            out.append(await ask('solver', item))\n            q.task_done()\n    ws = [asyncio.create_task(worker()) for _ in range(2)]\n    for i in 'abcd':\n        q.put_nowait(i)\n    await q.join()\n    for w in ws:\n        w.cancel()\n    await asyncio.gather(*ws, return_exceptions=True)\n    return sorted(out)\nreturn asyncio.run(main())",
        ["solver: a", "solver: b", "solver: c", "solver: d"], [2],
    ),
    "polling without sleeping": ("import asyncio\nt = asyncio.create_task(ask('solver', 'a'))\nwhile not t.done():\n    await asyncio.sleep(0)\nreturn t.result()", "solver: a", [1]),
    "calls in threads": ("import asyncio\ndef job(q):\n    return ask('solver', q).upper()\nreturn await asyncio.gather(*[asyncio.to_thread(job, q) for q in 'ab'], asyncio.to_thread(len, 'abc'))", ["SOLVER: A", "SOLVER: B", 3], [2]),
    "executor on the loop": ("import asyncio\nasync def main():\n    loop = asyncio.get_running_loop()\n    return await asyncio.gather(*[loop.run_in_executor(None, ask, 'solver', q) for q in 'ab'])\nreturn asyncio.run(main())", ["solver: a", "solver: b"], [2]),
    "task group over handles": ("import asyncio\nasync def main():\n    async with asyncio.TaskGroup() as tg:\n        a = tg.create_task(ask('solver', 'a'))\n        b = tg.create_task(ask('critic', 'b'))\n    return [a.result(), b.result()]\nreturn asyncio.run(main())", ["solver: a", "critic: b"], [2]),
    "wait_for and timeout": ("import asyncio\nasync def main():\n    a = await asyncio.wait_for(ask('solver', 'a'), timeout=30)\n    async with asyncio.timeout(30):\n        b = await ask('solver', 'b')\n    return [a, b]\nreturn asyncio.run(main())", ["solver: a", "solver: b"], [1, 1]),
    "futures by hand": ("import asyncio\nasync def main():\n    f = asyncio.get_running_loop().create_future()\n    async def later():\n        f.set_result(await ask('solver', 'a'))\n    asyncio.create_task(later())\n    return await f\nreturn asyncio.run(main())", "solver: a", [1]),
    "callbacks": ("import asyncio\ngot = []\nasync def main():\n    t = asyncio.create_task(ask('solver', 'a'))\n    t.add_done_callback(lambda f: got.append(f.result()))\n    await t\n    await asyncio.sleep(0)\nasyncio.run(main())\nreturn got", ["solver: a"], [1]),
    "methods that ask": (
        "class Team:\n    def __init__(self, roles):\n        self.roles = roles\n        self.log = []\n    def _ask(self, role, q):\n        self.log.append(role)\n        return ask(role, q)\n    def run(self, q):\n        drafts = {r: self._ask(r, q) for r in self.roles}\n        return self._ask('verifier', ' & '.join(f'{r}: {d}' for r, d in drafts.items()))\nt = Team(['solver', 'critic'])\nreturn [t.run('q'), t.log]",
        ["verifier: solver: solver: q & critic: critic: q", ["solver", "critic", "verifier"]], [2, 1],
    ),
    "cached asking": ("from functools import lru_cache\n@lru_cache(maxsize=None)\ndef know(q):\n    return ask('solver', q)\nreturn [know('a'), know('a'), know('b'), know.cache_info().hits]", ["solver: a", "solver: a", "solver: b", 1], [2]),
    "retry decorator": (
        "import functools\ndef retry(n):\n    def deco(f):\n        @functools.wraps(f)\n        def inner(*a, **k):\n            for i in range(n):\n                try:\n                    return str(f(*a, **k))\n                except CallFailed as e:\n                    last = e\n            raise last\n        return inner\n    return deco\n@retry(2)\ndef go(q):\n    return ask('solver', q)\nreturn go('a')",
        "solver: a", [1],
    ),
    "generator of calls": ("def calls(qs):\n    for q in qs:\n        yield q, ask('solver', q)\nreturn {q: a for q, a in calls('ab')}", {"a": "solver: a", "b": "solver: b"}, [2]),
    "nested in containers": ("import copy, json\nx = {'l': [ask('solver', 'a'), {'d': (ask('critic', 'b'),)}]}\nreturn [json.loads(json.dumps(x)), copy.deepcopy(x)['l'][0], str(x), x['l'][1]['d'][0].upper(), x]", [{"l": ["solver: a", {"d": ["critic: b"]}]}, "solver: a", "{'l': ['solver: a', {'d': ('critic: b',)}]}", "CRITIC: B", {"l": ["solver: a", {"d": ["critic: b"]}]}], [2]),
    "heap and deque": ("import heapq\nfrom collections import deque\nheap = []\nfor i, q in enumerate('ba'):\n    heapq.heappush(heap, (ask('solver', q), i))\nd = deque(ask('critic', q) for q in 'xy')\nreturn [heapq.heappop(heap), d.popleft(), d[-1]]", [["solver: a", 1], "critic: x", "critic: y"], [1, 1]),
    "match on replies": (
        "r = ask('router', 'q', returns={'route': ['math', 'text'], 'score': float})\nmatch r:\n    case {'route': 'math', 'score': s} if s > 1:\n        a = ['math', s]\n    case _:\n        a = None\nmatch ask('solver', 'x'):\n    case 'yes' | 'no':\n        b = 1\n    case str(t):\n        b = t\nmatch [ask('solver', 'y'), 2]:\n    case [str(u), int()]:\n        c = u\nreturn [a, b, c]",
        [["math", 1.5], "solver: x", "solver: y"], [1, 1, 1],
    ),
    "statistics": ("import statistics\nns = [ask('solver', q, returns=float) for q in 'abc']\nreturn [statistics.mean(ns), statistics.mean(n * 2 for n in ns), sum(ns) / len(ns), sorted(ns)[1], round(statistics.pstdev(ns), 3)]", [1.5, 3.0, 1.5, 1.5, 0.0], [3]),
    "return of mixed things": ("import datetime, decimal\nfrom collections import Counter\nclass R:\n    def __init__(self):\n        self.a = ask('solver', 'q')\n        self._b = 1\nreturn [R(), {1, 2}, (1,), decimal.Decimal('1.5'), Counter('aa'), {'k': None}, datetime.date(2024, 1, 2), True]", [{"a": "solver: q"}, [1, 2], [1], 1.5, {"a": 2}, {"k": None}, "2024-01-02", True], [1]),
    "print handles": ("print('got', ask('solver', 'q'), [ask('critic', 'c')])\nreturn 1", 1, [2]),
    "exceptions with handles": ("class Bad(Exception):\n    def __init__(self, why):\n        super().__init__(f'bad: {why}')\n        self.why = why\ntry:\n    raise Bad(ask('solver', 'q'))\nexcept Bad as e:\n    return [str(e), e.why, e.args]", ["bad: solver: q", "solver: q", ["bad: solver: q"]], [1]),
    "context managers": ("from contextlib import contextmanager\nlog = []\n@contextmanager\ndef step(name):\n    log.append(name)\n    yield lambda q: ask('solver', f'{name} {q}')\n    log.append(f'end {name}')\nclass Timed:\n    def __enter__(self):\n        return self\n    def __exit__(self, *e):\n        log.append(e[0])\n        return True\nwith step('s') as s, Timed():\n    log.append(str(s('q')))\nwith Timed():\n    return log", ["s", "solver: s q", None, "end s", None], [1]),
    "sharing": ("share('x', {'a': ask('solver', 'q')})\nreturn [recall('x')['a'], recall('x').a]", ["solver: q", "solver: q"], [1]),
    "gather of many kinds": ("async def co(q):\n    return await ask('critic', q)\ndef plain():\n    return ask('writer', 'w')\nout = await gather(ask('solver', 'a'), co('b'), plain, ('planner', 'p'), ask('solver', 'n', returns=int))\na, *rest = out\nreturn [a, rest]", ["solver: a", ["critic: b", "writer: w", "planner: p", 1]], [5]),
}  # fmt: skip
