"""What a contract holds back: modules at import and in the check, choices in the check and on the way to the host."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sandbox import MODULES, Contract, ZygoteSandbox
from sandbox.inside.runtime import Runtime
from tests.sandbox.doors import ASK, CONTRACT, ScriptedDoor

pytestmark = pytest.mark.anyio
NARROW = replace(CONTRACT, modules=("math", "json", "concurrent.futures"))
AGENT = replace(ASK.parameters[0], choices=("solver",), withheld=("searcher",))
HELD = replace(CONTRACT, functions=(replace(ASK, parameters=(AGENT, *ASK.parameters[1:])),))


def test_the_list_of_modules_is_that_of_the_language() -> None:
    parts_of_packages = {"collections.abc", "concurrent"}
    assert set(MODULES) == set(Runtime().modules) - parts_of_packages


IMPORTS = (
    "import statistics",
    "from statistics import mean",
    "import collections.abc",
    "from collections import Counter",
    "import statistics as s, math",
    "def f():\n    import asyncio\n    return 1\nreturn f()",
)


@pytest.mark.parametrize("program", IMPORTS)
async def test_a_module_that_is_held_back_is_found_and_cannot_be_imported(sandbox: ZygoteSandbox, program: str) -> None:
    finding = next(iter(await sandbox.check(program, NARROW)))
    assert finding.kind == "policy"
    assert finding.withheld in ("statistics", "collections", "asyncio")
    assert "held back" in finding.message
    assert finding.hint == "do without it; there are concurrent.futures, json, math"
    outcome = await sandbox.run(program, NARROW, ScriptedDoor())
    assert outcome.error is not None
    assert "ImportError: the module" in outcome.error.message
    assert "held back" in outcome.error.message


@pytest.mark.parametrize(
    "program",
    [
        "import math, json",
        "import concurrent.futures",
        "from concurrent import futures",
        "from concurrent.futures import wait",
    ],
)
async def test_what_is_allowed_comes_with_its_package(sandbox: ZygoteSandbox, program: str) -> None:
    assert not await sandbox.check(program, NARROW)
    assert (await sandbox.run(program, NARROW, ScriptedDoor())).error is None


async def test_no_module_at_all(sandbox: ZygoteSandbox) -> None:
    none = Contract(modules=())
    assert (await sandbox.check("import math", none))[0].hint == "do without it; there are none"
    assert (await sandbox.run("return 1 + 1", none, ScriptedDoor())).value == 2
    caught = "try:\n    import math\nexcept ImportError as e:\n    result = str(e)"
    assert "held back" in str((await sandbox.run(caught, none, ScriptedDoor())).value)


async def test_a_module_that_is_not_there_is_not_held_back(sandbox: ZygoteSandbox) -> None:
    finding = (await sandbox.check("import os", NARROW))[0]
    assert (finding.withheld, finding.message) == (None, "there is no module 'os' here")


@pytest.mark.parametrize("program", ["return ask('searcher', 'q')", "return parallel([('searcher', 'q')])"])
async def test_a_choice_that_is_held_back_is_found(sandbox: ZygoteSandbox, program: str) -> None:
    finding = (await sandbox.check(program, HELD))[0]
    assert (finding.kind, finding.withheld) == ("choice", "searcher")
    assert "held back" in finding.message
    assert finding.hint == "do without it; there are solver"


async def test_a_running_program_may_ask_for_what_is_held_back_and_for_nothing_else(sandbox: ZygoteSandbox) -> None:
    door = ScriptedDoor()
    assert (await sandbox.run("return ask('sear' + 'cher', 'q')", HELD, door)).value == "searcher: q"
    outcome = await sandbox.run("return ask('cri' + 'tic', 'q')", HELD, door)
    assert "UnknownAgent" in str(outcome.error)
    assert len(door.requests) == 1
