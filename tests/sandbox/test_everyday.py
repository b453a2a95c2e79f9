"""Everyday programs give what Python gives, and handles go through all of it; each runs in a real child."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from sandbox import Sandbox, Setting
from tests.sandbox.doors import CONTRACT, ScriptedDoor
from tests.sandbox.handle_programs import HANDLES
from tests.sandbox.walled import WALLED

pytestmark = pytest.mark.anyio
SETTING = Setting(seed=7, now=1_000_000.0)
EVERYDAY = sorted((Path(__file__).parent / "programs" / "everyday").glob("*.py"))
"""Programs that ask nobody and leave their value in `result`."""


def in_python(program: str) -> tuple[object, str]:
    names: dict[str, object] = {"__name__": "__main__"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "<program>", "exec", dont_inherit=True), names)
    return json.loads(json.dumps(names["result"])), printed.getvalue()


@pytest.mark.parametrize("path", EVERYDAY, ids=lambda path: path.stem)
async def test_gives_what_python_gives(sandbox: Sandbox, path: Path) -> None:
    program = path.read_text()
    expected, printed = await anyio.to_thread.run_sync(in_python, program)
    outcome = await sandbox.run(program, CONTRACT, ScriptedDoor(), setting=SETTING)
    assert outcome.error is None, str(outcome.error)
    assert outcome.value == expected
    assert outcome.printed == printed


PROGRAMS_RUN = (
    WALLED
    + """
from pathlib import Path

programs = {path: Path(path).read_text() for path in sys.argv[1:]}
raise_walls()
for path, program in programs.items():
    frame = last_frame(program)
    if frame["type"] != "finished":
        print(path, frame)
"""
)


def test_needs_no_import_and_no_file_once_the_walls_are_up() -> None:
    environment = {"PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PROGRAMS_RUN, *map(str, EVERYDAY)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("", 0), done.stdout + done.stderr


@pytest.mark.parametrize("case", HANDLES)
async def test_handles_go_through(sandbox: Sandbox, case: str) -> None:
    program, expected, sizes = HANDLES[case]
    door = ScriptedDoor()
    outcome = await sandbox.run(program, CONTRACT, door, setting=SETTING)
    assert outcome.error is None, str(outcome.error)
    assert outcome.value == expected
    assert [len(batch) for batch in door.batches][: len(sizes)] == sizes
