"""The same program and the same replies give the same value in different zygotes, whose memory is laid out differently."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from sandbox import Sandbox, Setting
from tests.sandbox.conftest import Engine
from tests.sandbox.doors import CONTRACT, ScriptedDoor

pytestmark = pytest.mark.anyio
NAMES = """
import asyncio, functools
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple
def f(): pass
class C:
    def m(self): pass
class E(Exception): pass
class K(Enum):
    A = 1
    B = 2
    Z = 3
@dataclass(frozen=True)
class D:
    n: int
@dataclass(eq=False)
class I:
    n: int
class T(NamedTuple):
    a: int
def g(): yield 1
async def co(): pass
"""
PROGRAMS = {
    "sets of program objects": "cs = [C() for _ in range(50)]\nreturn [cs.index(c) for c in set(cs)]",
    "sets of exceptions": "es = [E(i) for i in range(50)]\nreturn [e.args[0] for e in set(es)]",
    "sets of enum members, frozen and plain dataclasses": "return [[k.name for k in set(K)], [d.n for d in {D(i) for i in range(20)}], [i.n for i in {I(i) for i in range(20)}]]",
    "sets of text, tuples and named tuples": "return [list({'b', 'a', 'zz', ''}), list({(1, 'a'), ('b', 2)}), [t.a for t in {T(i) for i in range(9)}], list(frozenset('hello'))]",
    "sets of replies and tasks": "hs = [ask('solver', q) for q in 'abcd']\nts = {asyncio.create_task(ask('critic', q)) for q in 'abcd'}\nreturn [list(set(hs)), [t.result() for t in ts]]",
    "repr and str": "return [repr(x) + str(x) for x in (f, g(), C(), C().m, C.m, ask, gather, object(), map(f, []), iter([]), functools.partial(f), co, [f], {'k': g}, E(f), property(), len, print, zip(), {}.keys(), D, I(f), asyncio, asyncio.Semaphore(1), reversed([]))]",
    "formatting": "x = [f, C(), g()]\nreturn [f'{x}', f'{f}', f'{f!r}', f'{C()!s}', '%s %r' % (f, g), '{} {!r}'.format(f, x), ' '.join(map(str, x)), str({'a': f}), format(C(), '')]",
    "sets of None, builtins and modules": "import json, math\nreturn [[repr(x) for x in {None, 1, 'a', len, print, str, ValueError, json, math, (None, 'b')}], list({None: 1, 'x': 2}), list({None, 'z'})]",
    "the time zone": "import datetime, time\nreturn [time.strftime('%Z %z'), str(datetime.datetime.now().astimezone()), time.ctime(0)]",
    "hash and id": "return [hash(C()), id(C()), hash(f) == hash(f), hash(E()), hash('text'), hash((1, 'a')), hash(K.A), id(f) != id(g)]",
    "printed text": "print(f, [C()], g(), sep='|')\nprint(K.A, D(1), E('x'))\nreturn 1",
    "an uncaught error": "raise KeyError(f)",
    "random and time": "import random, time, datetime\nrandom.shuffle(x := list(range(9)))\nreturn [x, random.random(), random.Random(3).random(), time.time(), time.monotonic(), str(datetime.datetime.now()), str(datetime.date.today()), datetime.datetime.now().timestamp(), datetime.datetime.fromtimestamp(0).isoformat()]",
    "order of keys and of sorting": "d = {C(): 1, C(): 2}\nreturn [list(d.values()), [repr(x) for x in sorted([C(), f, g], key=repr)], sorted({3, 1, 2}), list({'b': 1, 'a': 2})]",
}  # fmt: skip


@pytest.fixture(scope="module")
async def sandboxes(engine: Engine) -> AsyncIterator[list[Sandbox]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(engine()) for _ in range(3)]


@pytest.mark.parametrize("case", PROGRAMS)
async def test_the_same_in_every_zygote(sandboxes: list[Sandbox], case: str) -> None:
    seen = []
    for sandbox in sandboxes:
        setting = Setting(seed=7, now=1_000_000.0)
        outcome = await sandbox.run(NAMES + PROGRAMS[case], CONTRACT, ScriptedDoor(), setting=setting)
        seen.append((outcome.value, outcome.printed, str(outcome.error)))
    assert seen[1:] == seen[:1] * 2
    assert "0x" not in str(seen)
    assert (outcome.error is None) == (case != "an uncaught error"), str(outcome.error)
