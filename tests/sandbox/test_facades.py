"""The modules of the workflow language: what they give, what they keep back, and that a walled child can use all of them."""

from __future__ import annotations

import datetime
import os
import re
import subprocess
import sys
import types
from collections.abc import Callable, Iterator

import pytest
from greenlet import greenlet

from sandbox import Sandbox, Setting
from sandbox.inside.calls import Calls, Wire
from sandbox.inside.concurrency import Concurrency
from sandbox.inside.guards import Guards
from sandbox.inside.runtime import Runtime
from sandbox.inside.scheduler import Scheduler
from sandbox.work import Work
from tests.sandbox.doors import CONTRACT, ScriptedDoor
from tests.sandbox.facade_programs import ESCAPES, VALUES
from tests.sandbox.walled import WALLED

pytestmark = pytest.mark.anyio
SETTING = Setting(seed=7, now=1_000_000.0)


def make_runtime() -> Runtime:
    runtime = Runtime()
    runtime.begin(Work("", CONTRACT, setting=SETTING), Wire(lambda frame: None, dict))
    return runtime


@pytest.mark.parametrize("case", VALUES)
async def test_value(sandbox: Sandbox, case: str) -> None:
    program, expected = VALUES[case]
    outcome = await sandbox.run(program, CONTRACT, ScriptedDoor(), setting=SETTING)
    assert outcome.error is None, str(outcome.error)
    assert outcome.value == expected


@pytest.mark.parametrize("case", ESCAPES)
async def test_escape_is_refused(sandbox: Sandbox, case: str) -> None:
    program, message = ESCAPES[case]
    outcome = await sandbox.run(program, CONTRACT, ScriptedDoor(), setting=SETTING)
    assert outcome.error is not None, outcome.value
    assert message in str(outcome.error)


# -- a walled child ---------------------------------------------------------------------------------------------------

FACADES_RUN = (
    WALLED
    + """
from tests.sandbox.facade_programs import VALUES

failed = []
raise_walls()
for name, (program, expected) in VALUES.items():
    if "ask(" in program:
        continue
    frame = last_frame(program)
    if frame["type"] != "finished" or frame["value"] != expected:
        failed.append((name, frame))
print(failed or "all fine")
"""
)


def test_no_module_needs_an_import_or_a_file_once_the_walls_are_up() -> None:
    environment = {"PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", FACADES_RUN], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip() == "all fine", done.stdout + done.stderr


def test_every_member_of_every_module_is_used_by_some_program() -> None:
    programs = "\n".join(program for program, _ in VALUES.values())
    exempt = {
        "asyncio",
        "concurrent",
        "concurrent.futures",
        "collections.abc",
        "typing",
    }  # the last two only name types
    unused = [
        f"{module}.{name}"
        for module, facade in make_runtime().modules.items()
        if module not in exempt
        for name, member in facade._members.items()
        if isinstance(member, Callable) and not isinstance(member, type) and not re.search(rf"\b{name}\b", programs)  # type: ignore[arg-type]
    ]
    assert unused == []


# -- no way out over public names ---------------------------------------------------------------------------------------

FORBIDDEN = (
    types.ModuleType, types.FrameType, types.CodeType, types.TracebackType, types.CellType, greenlet,
    Runtime, Guards, Scheduler, Calls, Concurrency,
)  # fmt: skip


def made_by_modules(runtime: Runtime) -> list[tuple[str, object]]:
    """One of each kind of object that the modules make."""
    m = {name: facade._members for name, facade in runtime.modules.items()}
    call: Callable[..., object] = runtime.call
    builtins = runtime.globals["__builtins__"]
    compiled = call(m["re"]["compile"], "(a)")
    named = call(m["collections"]["namedtuple"], "P", "a b")
    made = {
        "pattern": compiled,
        "match": call(m["re"]["match"], compiled, "a"),
        "matches": call(m["re"]["finditer"], compiled, "a"),
        "partial": call(m["functools"]["partial"], print, 1),
        "cached": call(m["functools"]["cache"], print),
        "cached property": call(m["functools"]["cached_property"], print),
        "key": call(call(m["functools"]["cmp_to_key"], print), 1),
        "local context": call(m["decimal"]["localcontext"]),
        "context": call(m["decimal"]["getcontext"]),
        "template": call(m["string"]["Template"], "$a"),
        "moment": call(m["datetime"]["datetime"], 2024, 1, 2),
        "fraction": call(m["fractions"]["Fraction"], 1, 2),
        "named class": named,
        "named tuple": call(named, 1, 2),
        "counter": call(m["collections"]["Counter"], "ab"),
        "chain map": call(m["collections"]["ChainMap"], {}),
        "field": call(m["dataclasses"]["field"], default=1),
        "random": call(m["random"]["Random"], 1),
        "map": call(builtins["map"], print, [1]),  # type: ignore[index]
        "enumeration": call(m["enum"]["Enum"], "E", "A"),
        "alias": m["typing"]["List"][int],  # type: ignore[index]
        "semaphore": call(m["asyncio"]["Semaphore"], 1),
        "executor": call(m["concurrent.futures"]["ThreadPoolExecutor"], 1),
        "loop": call(m["asyncio"]["get_event_loop"]),
        "error": ValueError("x"),
        "function's type": call(builtins["type"], print),  # type: ignore[index]
    }
    return list(made.items())


def reachable(runtime: Runtime) -> Iterator[tuple[str, object]]:
    """Everything that public attributes lead to, from the names and modules of a program."""
    builtins = runtime.globals["__builtins__"]
    starts = [(name, value) for name, value in runtime.globals.items() if not name.startswith("_")]
    starts += [(name, value) for name, value in builtins.items() if not name.startswith("_")]  # type: ignore[attr-defined]
    starts += list(runtime.modules.items())
    starts += made_by_modules(runtime)
    waiting, seen, kept = starts, set(), []
    while waiting:
        path, thing = waiting.pop()
        if id(thing) in seen or path.count(".") > 6:
            continue
        seen.add(id(thing))
        kept.append(thing)
        yield path, thing
        for name in dir(thing):
            if not name.startswith("_"):
                try:
                    waiting.append((f"{path}.{name}", runtime.getattr(thing, name)))
                except (AttributeError, TypeError, ValueError):
                    continue


def test_no_public_attribute_leads_out_of_the_language() -> None:
    found = list(reachable(make_runtime()))
    assert len(found) > 1_000
    assert [path for path, thing in found if isinstance(thing, FORBIDDEN)] == []
    assert [path for path, thing in found if isinstance(thing, type) and issubclass(thing, type)] == []
    assert [path for path, thing in found if type(thing) in (datetime.date, datetime.datetime)] == []


def test_no_function_that_is_reached_opens_files_or_makes_code() -> None:
    dangerous = {id(thing) for thing in (open, eval, exec, compile, __import__, globals, locals, vars, input, type)}
    assert [path for path, thing in reachable(make_runtime()) if id(thing) in dangerous] == []
