"""Attempts to get out of the language, found by reading its guards: what each must end in, and what can be reached at all.

The first line of a file in `payloads/own` says what must happen: `value` and the value as JSON, or `error`, the kind of the
error and, for an exception of the program, its type.
"""

from __future__ import annotations

import json
import types
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest
from greenlet import greenlet

from sandbox import Limits, Sandbox, Setting
from sandbox.inside.calls import Calls, Wire
from sandbox.inside.facades.facade import Facade
from sandbox.inside.guards import Guards
from sandbox.inside.runtime import Runtime
from sandbox.inside.scheduler import Scheduler
from sandbox.work import Work
from tests.sandbox.doors import CONTRACT, ScriptedDoor

pytestmark = pytest.mark.anyio
HERE = Path(__file__).parent
ATTACKS = sorted((HERE / "payloads" / "own").glob("*.py"))
LIMITS = Limits(wall_seconds=20)


@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
async def test_attack(sandbox: Sandbox, path: Path) -> None:
    program = path.read_text()
    how, _, what = program.splitlines()[0].partition("| must: ")[2].partition(" ")
    outcome = await sandbox.run(
        program, CONTRACT, ScriptedDoor(), limits=LIMITS, setting=Setting(seed=7, now=1_000_000.0)
    )
    if how == "value":
        assert outcome.error is None, str(outcome.error)
        assert outcome.value == json.loads(what)
    else:
        kind, _, exception = what.partition(" ")
        assert outcome.error is not None, outcome.value
        assert outcome.error.kind == kind, str(outcome.error)
        assert outcome.error.message.startswith(exception)


# -- what can be reached -------------------------------------------------------------------------------------------------

CLOSED = (
    types.ModuleType, types.FrameType, types.CodeType, types.TracebackType, types.CellType, greenlet,
    Runtime, Guards, Scheduler, Calls,
)  # fmt: skip
SPECIAL = frozenset(
    [
        "gi_frame",
        "gi_code",
        "cr_frame",
        "ag_frame",
        "tb_frame",
        "f_back",
        "f_globals",
        "func",
        "__func__",
        "__self__",
        "__globals__",
        "__code__",
        "__closure__",
        "__traceback__",
        "__wrapped__",
        "__subclasses__",
        "__bases__",
        "__dict__",
        "__builtins__",
        "__class__",
        "__cause__",
        "__context__",
        "mro",
        "obj",
    ]
)
SAMPLES = (HERE / "payloads" / "samples.txt").read_text()


class Explorer(Runtime):
    """Runs a program, then reads everything that its guards let it read, from what it finds in its names."""

    def _final_value(self, code: types.CodeType) -> object:
        super()._final_value(code)
        return [path for path, thing in self._reached() if self._must_stay_closed(thing)]

    def _must_stay_closed(self, thing: object) -> bool:
        return isinstance(thing, CLOSED) or (isinstance(thing, dict) and "__builtins__" in thing)

    def _reached(self) -> Iterator[tuple[str, object]]:
        builtins = self.globals["__builtins__"]
        assert isinstance(builtins, dict)
        names = {**builtins, **self.globals, **self.modules}
        waiting = deque((name, thing) for name, thing in names.items() if not name.startswith("_"))
        kept: dict[int, object] = {}
        while waiting:
            path, thing = waiting.popleft()
            if id(thing) in kept or isinstance(thing, (int, float, str, bytes, complex)):
                continue
            kept[id(thing)] = thing
            yield path, thing
            if path.count(".") < 5:
                waiting.extend(self._inside(path, thing))

    def _inside(self, path: str, thing: object) -> Iterator[tuple[str, object]]:
        if isinstance(thing, (list, tuple)):
            yield from ((f"{path}[{index}]", item) for index, item in enumerate(thing))
        elif isinstance(thing, dict):
            yield from ((f"{path}[{key!r}]", item) for key, item in thing.items())
        kinds = {*type(thing).__mro__, *(thing.__mro__ if isinstance(thing, type) else ())}
        members = thing._members if isinstance(thing, Facade) else getattr(thing, "__dict__", ())
        for name in {*SPECIAL, *members, *(name for kind in kinds for name in vars(kind))}:
            try:
                yield f"{path}.{name}", self.getattr(thing, str(name))
            except Exception:  # noqa: BLE001 - refused, or not there
                continue


def test_nothing_that_can_be_read_leads_out() -> None:
    sent: list[dict[str, object]] = []
    explorer = Explorer()
    explorer.begin(Work(SAMPLES, CONTRACT, Limits(steps=10**9), Setting(7, 1_000_000.0)), Wire(sent.append, dict))
    explorer.run()
    assert sent[-1]["type"] == "finished", sent[-1]
    assert sent[-1]["value"] == []
