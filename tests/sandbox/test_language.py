"""The workflow language: handles, batches, branches, failures, values. Each case is one program in a real child."""

from __future__ import annotations

import textwrap

import pytest

from sandbox import JSON, Failure, Outcome, Request, Sandbox, Setting
from tests.sandbox.doors import CONTRACT, ScriptedDoor, echo

pytestmark = pytest.mark.anyio


async def run(sandbox: Sandbox, program: str, door: ScriptedDoor | None = None) -> Outcome:
    setting = Setting(seed=7, now=1_000_000.0)
    return await sandbox.run(textwrap.dedent(program), CONTRACT, door or ScriptedDoor(), setting=setting)


async def value(sandbox: Sandbox, program: str, door: ScriptedDoor | None = None) -> JSON:
    outcome = await run(sandbox, program, door)
    assert outcome.error is None, str(outcome.error)
    return outcome.value


VALUES = {
    "return at top level": ("return 1 + 1", 2),
    "result variable": ("result = [1, {'a': (2, 3)}]", [1, {"a": [2, 3]}]),
    "main that nobody calls": ("def main():\n    return 'm'", "m"),
    "async main that nobody awaits": ("async def main():\n    return await ask('solver', 'q')\nmain()", "solver: q"),
    "last assignment": ("answer = ask('solver', 'q')", "solver: q"),
    "handle returned": ("return ask('solver', 'q')", "solver: q"),
    "handles inside a returned value": ("return {'a': [ask('solver', 'q')]}", {"a": ["solver: q"]}),
    "f-string": ("h = ask('solver', 'q')\nreturn f'<{h}> {h!r} {h:>12}'", "<solver: q> 'solver: q'    solver: q"),
    "join": ("return ', '.join([ask('solver', 'a'), ask('critic', 'b')])", "solver: a, critic: b"),
    "len and isinstance": ("h = ask('solver', 'q')\nreturn [len(h), isinstance(h, str), type(h) is str]", [9, True, True]),
    "json": ("import json\nreturn json.dumps({'h': ask('solver', 'q')})", '{"h": "solver: q"}'),
    "arithmetic": ("n = ask('solver', 'q', returns=float)\nreturn [n + 1, 2 * n, n > 1, -n, round(n), int(n)]", [2.5, 3.0, True, -1.5, 2, 1]),
    "record by attribute and item": (
        "r = ask('solver', 'q', returns={'verdict': ['yes', 'no'], 'n': int})\nreturn [r.verdict, r['n'], r.get('x', 0)]",
        ["yes", 1, 0],
    ),
    "record key before method": ("r = ask('solver', 'q', returns={'items': list[str]})\nreturn r.items", ["solver: q"]),
    "set a key of a record": ("r = ask('solver', 'q', returns={'a': int})\nr.a = 5\nr['b'] = 6\nreturn dict(r)", {"a": 5, "b": 6}),
    "dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass D:\n    claim: str\n    ok: bool = False\n"
        "d = ask('solver', 'q', returns=D)\nreturn [d.claim, d.ok, isinstance(d, D)]",
        ["solver: q", True, True],
    ),
    "annotated class": ("class D:\n    n: int\nreturn ask('solver', 'q', returns=D).n", 1),
    "match": (
        "r = ask('router', 'q', returns={'kind': ['math', 'text']})\nmatch r:\n    case {'kind': 'math'}:\n        return 'm'\n    case _:\n        return 'o'",
        "m",
    ),
    "match on a handle of text": ("match ask('solver', 'q'):\n    case str() as s:\n        return s.upper()", "SOLVER: Q"),
    "unpacking": ("a, b = parallel([('solver', 'x'), ('critic', 'y')])\nreturn [b, a]", ["critic: y", "solver: x"]),
    "dict key": ("d = {}\nd[ask('solver', 'q')] = 1\nreturn d", {"solver: q": 1}),
    "counter": ("from collections import Counter\nhs = [ask('solver', 'q') for _ in range(3)]\nreturn Counter(hs).most_common(1)[0][1]", 3),
    "sorted with key": ("hs = [ask('solver', s) for s in 'cab']\nreturn sorted(hs, key=lambda h: h)", ["solver: a", "solver: b", "solver: c"]),
    "future methods": (
        "import asyncio\nasync def f(x):\n    return await ask('solver', x)\nt = asyncio.create_task(f('a'))\n"
        "d = t.done()\nv = t.result()\nreturn [d, v, t.done(), t.exception()]",
        [False, "solver: a", True, None],
    ),
    "task group": (
        "import asyncio\nasync with asyncio.TaskGroup() as tg:\n    ts = [tg.create_task(ask('solver', c)) for c in 'ab']\nreturn [t.result() for t in ts]",
        ["solver: a", "solver: b"],
    ),
    "as_completed": (
        "import asyncio\nout = []\nfor t in asyncio.as_completed([ask('solver', 'a'), ask('critic', 'b')]):\n    out.append(await t)\nreturn sorted(out)",
        ["critic: b", "solver: a"],
    ),
    "executor map": (
        "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(4) as ex:\n    return list(ex.map(lambda q: ask('solver', q), ['a', 'b']))",
        ["solver: a", "solver: b"],
    ),
    "queue between branches": (
        "import asyncio\nq = asyncio.Queue()\nasync def produce():\n    for i in range(3):\n        await q.put(i)\n"
        "async def consume():\n    return [await q.get() for _ in range(3)]\n_, got = await asyncio.gather(produce(), consume())\nreturn got",
        [0, 1, 2],
    ),
    "virtual sleep": ("import asyncio, time\nt = time.time()\nawait asyncio.sleep(3600)\nreturn time.time() - t", 3600.0),
    "polling loop": (
        "import asyncio\nt = asyncio.create_task(ask('solver', 'a'))\nwhile not t.done():\n    await asyncio.sleep(1)\nreturn t.result()",
        "solver: a",
    ),
    "async generator": (
        "async def gen():\n    for i in range(3):\n        yield i\nout = [x async for x in gen()]\nasync for y in gen():\n    out.append(y)\nreturn out",
        [0, 1, 2, 0, 1, 2],
    ),
    "nested branches of two stages": (
        "def chain(q):\n    a = ask('solver', q)\n    return ask('verifier', f'check {a}')\nreturn parallel([lambda q=q: chain(q) for q in 'ab'])",
        ["verifier: check solver: a", "verifier: check solver: b"],
    ),
    "private names": ("class A:\n    def __init__(self):\n        self._x = 1\n        self.__y = 2\n    def total(self):\n        return self._x + self.__y\nreturn A().total()", 3),
    "super": (
        "class A:\n    def __init__(self, n):\n        self.n = n\nclass B(A):\n    def __init__(self):\n        super().__init__(4)\nreturn B().n",
        4,
    ),
    "exception class": (
        "class Bad(Exception):\n    def __init__(self, m):\n        super().__init__(m)\ntry:\n    raise Bad('x')\nexcept Bad as e:\n    return [type(e).__name__, e.__class__.__name__, str(e)]",
        ["Bad", "Bad", "x"],
    ),
    "augmented": ("d = {'n': 1}\nd['n'] += 2\nclass C:\n    n = 1\nc = C()\nc.n *= 5\nxs = [1]\nxs += [2]\nreturn [d, c.n, xs]", [{"n": 3}, 5, [1, 2]]),
    "default repr and order of objects": (
        "class C:\n    pass\ncs = [C() for _ in range(20)]\nreturn [repr(cs[0]), [cs.index(c) for c in set(cs)] == list(range(20))]",
        ["<C object>", True],
    ),
    "enum": ("from enum import Enum\nclass K(str, Enum):\n    A = 'a'\nreturn [K.A.value, K('a') is K.A, K.A]", ["a", True, "a"]),
    "board": ("share('facts', [1, 2])\nreturn recall('facts')", [1, 2]),
    "task": ("return [task.question, task['answer_format']]", ["What is 17 * 23?", "a number"]),
    "bare list of handles awaited": ("return await [ask('solver', 'a'), ask('critic', 'b')]", ["solver: a", "critic: b"]),
    "name main": ("if __name__ == '__main__':\n    result = 5", 5),
    "wrong agent caught": ("try:\n    ask('solvr', 'q')\nexcept UnknownAgent as e:\n    return 'solver' in str(e)", True),
    "str methods on a handle": ("h = ask('solver', 'q')\nreturn [h.upper(), h.split(':')[0], h[0], 'q' in h]", ["SOLVER: Q", "solver", "s", True]),
    "string format": ("return '{:>5}|{name}'.format(3, name=ask('solver', 'q'))", "    3|solver: q"),
    "percent": ("return '%s-%d' % (ask('solver', 'q'), 3)", "solver: q-3"),
}  # fmt: skip


@pytest.mark.parametrize("case", VALUES)
async def test_value(sandbox: Sandbox, case: str) -> None:
    program, expected = VALUES[case]
    assert await value(sandbox, program) == expected


BATCHES = {
    "independent calls leave together": ("a = ask('solver', 'a')\nb = ask('solver', 'b')\nreturn a + b", [2]),
    "append does not wait": ("hs = []\nfor c in 'abc':\n    hs.append(ask('solver', c))\nreturn '\\n'.join(hs)", [3]),
    "zip and len do not wait": (
        "hs = [ask('solver', c) for c in 'ab']\nn = len(hs)\nms = [ask('critic', f'{n} {i}') for i, h in enumerate(hs)]\nreturn list(zip(hs, ms))",
        [4],
    ),
    "a call waits for its inputs in a branch of its own": (
        "a = ask('solver', 'a')\nb = ask('verifier', 'v', inputs={'a': a})\nc = ask('critic', 'c')\nreturn [b, c]",
        [2, 1],
    ),
    "functions pass handles on": (
        "def f(h):\n    return ask('verifier', 'v', inputs=h)\nreturn [f(ask('solver', c)) for c in 'ab']",
        [2],
    ),
    "awaiting one after the other still overlaps when started": (
        "import asyncio\na = asyncio.create_task(ask('solver', 'a'))\nb = asyncio.create_task(ask('solver', 'b'))\nreturn [await a, await b]",
        [2],
    ),
    "semaphore": (
        "import asyncio\nsem = asyncio.Semaphore(2)\nasync def one(c):\n    async with sem:\n        return await ask('solver', c)\nreturn await asyncio.gather(*[one(c) for c in 'abcd'])",
        [2, 1, 1],
    ),
}


@pytest.mark.parametrize("case", BATCHES)
async def test_batches(sandbox: Sandbox, case: str) -> None:
    program, sizes = BATCHES[case]
    door = ScriptedDoor()
    await value(sandbox, program, door)
    assert [len(batch) for batch in door.batches][: len(sizes)] == sizes


def failing(request: Request) -> JSON | Failure:
    if "bad" in str(request.arguments["instruction"]):
        return Failure("CallTimeout", "no reply within 3 seconds")
    return echo(request)


FAILURES = {
    "caught as its parent": ("try:\n    ask('solver', 'bad').upper()\nexcept CallFailed as e:\n    return [type(e).__name__, str(e)]", ["CallTimeout", "no reply within 3 seconds"]),
    "gather raises the first by position": (
        "try:\n    await gather(ask('solver', 'a'), ask('solver', 'bad'))\nexcept CallTimeout:\n    return 'caught'",
        "caught",
    ),
    "gather returns failures": (
        "out = gather(ask('solver', 'a'), ask('solver', 'bad'), on_error='return')\nreturn [type(o).__name__ for o in out]",
        ["str", "CallTimeout"],
    ),
    "asyncio.gather returns exceptions": (
        "import asyncio\nout = await asyncio.gather(ask('solver', 'bad'), ask('solver', 'a'), return_exceptions=True)\nreturn isinstance(out[0], Exception)",
        True,
    ),
    "a failed input is upstream": (
        "v = ask('verifier', 'v', inputs={'d': ask('solver', 'bad')})\ntry:\n    return str(v)\nexcept CallFailed as e:\n    return 'upstream' in str(e)",
        True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FAILURES)
async def test_failure(sandbox: Sandbox, case: str) -> None:
    program, expected = FAILURES[case]
    assert await value(sandbox, program, ScriptedDoor(failing)) == expected


async def test_a_failed_input_is_never_sent(sandbox: Sandbox) -> None:
    door = ScriptedDoor(failing)
    await value(sandbox, FAILURES["a failed input is upstream"][0], door)
    assert [request.arguments["agent"] for request in door.requests] == ["solver"]


async def test_wait_for_expires_and_cancels_the_call(sandbox: Sandbox) -> None:
    door = ScriptedDoor(latency=5.0)
    program = """
        import asyncio
        try:
            await asyncio.wait_for(ask("solver", "slow"), timeout=0.05)
        except asyncio.TimeoutError:
            return "late"
    """
    outcome = await run(sandbox, program, door)
    assert outcome.value == "late"
    assert door.cancelled == [1]
    assert outcome.usage.wall_seconds < 3


async def test_calls_outstanding_at_the_end_are_cancelled(sandbox: Sandbox) -> None:
    door = ScriptedDoor(latency=5.0)
    outcome = await run(sandbox, "h = ask('solver', 'slow')\nshare('x', 1)\nreturn h.done()", door)
    assert outcome.value is False
    assert [request.function for request in door.requests] == ["ask", "share"]
    assert door.cancelled == [1]


ERRORS = {
    "deadlock": ("import asyncio\nawait asyncio.Event().wait()", "DeadlockError", None),
    "no plain data": ("return {'a': lambda: 1}", "ResultError", None),
    "uncaught": ("x = 1\ny = x / 0", "WorkflowRuntimeError", 2),
    "raised in a function": ("def f():\n    return {}['k']\n\nf()", "WorkflowRuntimeError", 2),
    "raised in a branch": ("async def f():\n    raise ValueError('no')\nawait gather(f(), f())", "WorkflowRuntimeError", 2),
    "uncaught failure": ("h = ask('solver', 'bad')\nreturn h + 'x'", "WorkflowRuntimeError", 2),
    "syntax": ("x = (1", "WorkflowSyntaxError", 1),
    "policy": ("x = ().__class__.__bases__", "PolicyViolation", 1),
    "steps": ("while True:\n    pass", "LimitExceeded", None),
    "steps in finally": ("try:\n    while True:\n        pass\nfinally:\n    result = 1", "LimitExceeded", None),
    "cpu in C": ("sum(range(10**11))", "LimitExceeded", 1),
    "catastrophic regex": ("import re\nre.match('(a+)+$', 'a' * 40 + 'b')", "LimitExceeded", 2),
    "memory": ("xs = []\nfor i in range(10000):\n    xs.append('x' * 1000000 + str(i))", "LimitExceeded", 3),
    "memory caught": ("xs = []\ntry:\n    for i in range(10000):\n        xs.append('x' * 1000000 + str(i))\nexcept Exception:\n    xs = None", "LimitExceeded", None),
    "too many calls": ("parallel([('solver', str(i)) for i in range(5000)])\nreturn 1", "LimitExceeded", None),
    "printed flood": ("for i in range(1000):\n    print('x' * 1000)", "LimitExceeded", None),
    "result too large": ("return 'x' * 300000", "LimitExceeded", None),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
async def test_error(sandbox: Sandbox, case: str) -> None:
    program, kind, line = ERRORS[case]
    outcome = await run(sandbox, program, ScriptedDoor(failing))
    assert outcome.error is not None, outcome
    assert outcome.error.kind == kind, str(outcome.error)
    if line is not None:
        assert outcome.error.line == line
        assert outcome.error.source_line


async def test_printed_text_is_kept(sandbox: Sandbox) -> None:
    outcome = await run(sandbox, "print('a', ask('solver', 'q'), sep='-')\nprint({'x': 1})\n1/0")
    assert outcome.printed == "a-solver: q\n{'x': 1}\n"
    assert outcome.error is not None


async def test_text_that_was_pasted_keeps_no_source_but_a_passed_value_does(sandbox: Sandbox) -> None:
    door = ScriptedDoor()
    await value(
        sandbox, "a = ask('solver', 'a')\nb = str(a) + ''\nreturn ask('critic', f'see {a}', inputs=[a, 'x'])", door
    )
    assert [(s.argument, s.path, s.call) for s in door.requests[1].sources] == [("inputs", (0,), 1)]


async def test_random_and_time_are_the_same_in_every_run(sandbox: Sandbox) -> None:
    program = "import random, datetime, time\nreturn [random.random(), random.choice('abc'), time.time(), str(datetime.datetime.now()), list({'b', 'a', 'c'})]"
    assert await value(sandbox, program) == await value(sandbox, program)
