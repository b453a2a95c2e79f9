"""The engine of zygotes: what becomes of its processes. What every engine has to do is in `test_conformance.py`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from sandbox import ZygoteSandbox, open_sandbox
from sandbox.errors import SandboxCrash
from tests.sandbox.conftest import Engine
from tests.sandbox.doors import CONTRACT, ScriptedDoor

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def engine() -> Engine:
    return open_sandbox


def children_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in tasks.read_text().split()] if tasks.exists() else []


def descendants_of(pid: int) -> list[int]:
    return [other for child in children_of(pid) for other in (child, *descendants_of(child))]


async def test_cancelling_a_run_ends_its_child() -> None:
    async with open_sandbox() as sandbox:
        during: set[int] = set()

        async def look() -> None:
            await anyio.sleep(0.2)
            during.update(descendants_of(os.getpid()))

        with anyio.move_on_after(0.5):
            async with anyio.create_task_group() as group:
                group.start_soon(look)
                await sandbox.run("return ask('solver', 'q')", CONTRACT, ScriptedDoor(latency=30))
        for _ in range(200):  # the child of the run goes; idle ones stay, and new ones may come
            if during - set(descendants_of(os.getpid())):
                break
            await anyio.sleep(0.02)
        assert during - set(descendants_of(os.getpid()))


async def test_a_killed_zygote_is_said_and_replaced() -> None:
    before = set(children_of(os.getpid()))
    async with open_sandbox() as sandbox, anyio.create_task_group() as group:

        async def crash() -> None:
            with pytest.raises(SandboxCrash, match="zygote died while a program ran"):
                await sandbox.run("return ask('solver', 'q') + ''", CONTRACT, ScriptedDoor(latency=30))

        group.start_soon(crash)
        await anyio.sleep(0.2)
        (zygote,) = set(children_of(os.getpid())) - before
        os.kill(zygote, signal.SIGKILL)
        await anyio.sleep(0.2)
        assert (await sandbox.run("return 1", CONTRACT, ScriptedDoor())).value == 1
    assert set(children_of(os.getpid())) == before


async def test_a_child_that_died_idle_is_passed_over(sandbox: ZygoteSandbox) -> None:
    for pid in descendants_of(os.getpid()):
        if not children_of(pid):
            os.kill(pid, signal.SIGKILL)
    await anyio.sleep(0.1)
    for _ in range(4):
        assert (await sandbox.run("return 1", CONTRACT, ScriptedDoor())).value == 1


def test_importing_sandbox_is_light() -> None:
    code = "import sys, sandbox; print(sorted(m for m in ('anyio', 'asyncio', 'pydantic', 'RestrictedPython') if m in sys.modules))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )
