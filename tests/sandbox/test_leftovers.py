"""Nothing is left of any engine that is closed. In a module of its own, since the sandbox that others share makes processes too."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sandbox.conftest import Engine
from tests.sandbox.doors import CONTRACT, ScriptedDoor

pytestmark = pytest.mark.anyio


async def test_nothing_is_left_when_it_is_closed(engine: Engine) -> None:
    before = descriptors(), processes()
    async with engine() as sandbox:
        assert (await sandbox.run("return 1", CONTRACT, ScriptedDoor())).value == 1
        await sandbox.run("return ask('solver', 'q')", CONTRACT, ScriptedDoor())
        await sandbox.aclose()
        assert processes() == before[1]
    assert (descriptors(), processes()) == before


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def processes() -> set[str]:
    return {child for task in Path("/proc/self/task").glob("*/children") for child in task.read_text().split()}
