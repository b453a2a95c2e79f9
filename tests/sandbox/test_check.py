"""The check of a program before it runs: what it finds, where, and what it offers instead."""

from __future__ import annotations

import pytest

from sandbox import Limits, Sandbox
from tests.sandbox.doors import CONTRACT

pytestmark = pytest.mark.anyio

FOUND = {
    "syntax": ("x = (1\n", "syntax", 1, "never closed"),
    "unknown name": ("return anser", "name", 1, "not defined"),
    "close name": ("answer = 1\nreturn anwser", "name", 2, "answer"),
    "used in its own definition": ("a = ask('solver', 'q', inputs=[a])\nreturn a", "name", 1, "no value yet"),
    "used before its definition": ("x = y + 1\ny = 2\nreturn x", "name", 1, "earlier line"),
    "file": ("x = open('f')\nreturn x", "name", 1, "there are no files"),
    "missing import": ("return json.dumps(1)", "name", 1, "import json"),
    "agent as a function": ("return solver('q')", "name", 1, 'ask("solver"'),
    "unknown agent": ("return ask('solvr', 'q')", "choice", 1, "did you mean 'solver'"),
    "unknown agent in a pair": ("return parallel([('solver', 'a'), ('nobody', 'b')])", "choice", 1, "nobody"),
    "wrong keyword": ("return ask('solver', 'q', input=1)", "argument", 1, "inputs"),
    "too many arguments": ("return ask('solver', 'q', 'r')", "argument", 1, "by position"),
    "missing argument": ("return ask('solver')", "argument", 1, "instruction"),
    "result of a call unused": ("ask('solver', 'q')\nreturn 1", "unused", 1, "nobody uses"),
    "name of a call unused": ("x = ask('solver', 'q')\nreturn 1", "unused", 1, "'x'"),
    "module": ("import os\nreturn 1", "policy", 1, "os"),
    "dunder": ("return ().__class__.__bases__", "policy", 1, "__bases__"),
    "except star": ("try:\n    x = 1\nexcept* ValueError:\n    pass", "policy", 1, "except*"),
    "guard name": ("_getattr_ = 1", "policy", 1, "reserved"),
}


@pytest.mark.parametrize("case", FOUND)
async def test_found(sandbox: Sandbox, case: str) -> None:
    program, kind, line, words = FOUND[case]
    found = await sandbox.check(program, CONTRACT)
    assert found, "nothing was found"
    first = found[0]
    assert (first.kind, first.line) == (kind, line)
    assert words in f"{first.message} {first.hint}"
    assert first.source_line in program
    assert "^" in str(first)


FINE = [
    "return ask('solver', task.question)",
    "x = ask('solver', 'q')\nresult = x",
    "answer = ask('solver', 'q')",
    "def f(a):\n    return ask(a, 'q')\nreturn f('solver')",
    "for agent in ['solver', 'critic']:\n    out = ask(agent, 'q')\nreturn out",
    "import concurrent.futures\nwith concurrent.futures.ThreadPoolExecutor() as ex:\n    f = ex.submit(ask, 'solver', 'q')\nreturn f.result()",
    "class A:\n    def m(self):\n        return __name__\nreturn A().m()",
    "try:\n    x = ask('solver', 'q').strip()\nexcept CallFailed as e:\n    x = str(e)\nreturn x",
    "match ask('solver', 'q'):\n    case {'a': a, **rest}:\n        return [a, rest]\n    case [first, *others]:\n        return first",
    "lines = [l for l in ask('solver', 'q').splitlines() if (n := len(l))]\nreturn lines",
    "f = lambda: later\nlater = 1\nreturn f()",
    "xs = [y for x in range(3) if (y := x)]\nreturn xs",
    "def f():\n    return g()\ndef g():\n    return 1\nreturn f()",
    "return [f(1) for f in (lambda x: x, abs)]",
]


@pytest.mark.parametrize("program", FINE)
async def test_fine(sandbox: Sandbox, program: str) -> None:
    assert await sandbox.check(program, CONTRACT) == []


async def test_hostile_text_does_not_hurt_the_check(sandbox: Sandbox) -> None:
    for program in ("(" * 5000, "x = " + "-" * 20_000 + "1", "\x00", "a" * 70_000, "x = '\ud800'", "é = 1", "9**9**9"):
        assert isinstance(await sandbox.check(program, CONTRACT, Limits(cpu_seconds=1)), list)
