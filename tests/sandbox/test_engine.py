"""The engine: processes, descriptors, wall limit, cancellation, and a child that does not play by the rules."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from sandbox import Limits, ZygoteSandbox, open_sandbox
from sandbox.errors import SandboxCrash
from tests.sandbox.doors import CONTRACT, ScriptedDoor

pytestmark = pytest.mark.anyio


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def children_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in tasks.read_text().split()] if tasks.exists() else []


def descendants_of(pid: int) -> list[int]:
    return [other for child in children_of(pid) for other in (child, *descendants_of(child))]


async def test_many_programs_side_by_side(sandbox: ZygoteSandbox) -> None:
    values: list[object] = [None] * 40

    async def one(index: int) -> None:
        outcome = await sandbox.run(f"return ask('solver', '{index}')", CONTRACT, ScriptedDoor(latency=0.01))
        values[index] = outcome.value

    before = descriptors()
    async with anyio.create_task_group() as group:
        for index in range(40):
            group.start_soon(one, index)
    assert values == [f"solver: {index}" for index in range(40)]
    assert descriptors() == before


async def test_the_wall_limit_ends_a_program_that_waits(sandbox: ZygoteSandbox) -> None:
    door = ScriptedDoor(latency=30.0)
    outcome = await sandbox.run(
        "x = 1\nreturn ask('solver', 'q') + ''", CONTRACT, door, limits=Limits(wall_seconds=0.3)
    )
    assert outcome.error is not None
    assert (outcome.error.kind, outcome.error.line) == ("LimitExceeded", 2)
    assert door.cancelled == [1]


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


async def test_no_process_is_left_behind() -> None:
    before = set(children_of(os.getpid()))
    async with open_sandbox() as sandbox:
        assert (await sandbox.run("return 1", CONTRACT, ScriptedDoor())).value == 1
    assert set(children_of(os.getpid())) == before


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


async def test_the_program_sees_nothing_of_the_environment(sandbox: ZygoteSandbox) -> None:
    for program in ("import os", "import sys", "return __builtins__", "return open('/etc/passwd')"):
        outcome = await sandbox.run(program, CONTRACT, ScriptedDoor())
        assert outcome.error is not None


async def test_a_door_that_fails_is_the_hosts_error(sandbox: ZygoteSandbox) -> None:
    def broken(request: object) -> str:
        raise LookupError("the host's own fault")

    with pytest.raises(LookupError, match="own fault"):
        await sandbox.run("return ask('solver', 'q')", CONTRACT, ScriptedDoor(broken))


async def test_a_long_reply_is_cut_with_a_mark(sandbox: ZygoteSandbox) -> None:
    door = ScriptedDoor(lambda request: "x" * 400_000)
    outcome = await sandbox.run("h = ask('solver', 'q')\nreturn [len(h), h[-60:]]", CONTRACT, door)
    assert outcome.value[0] < 300_000
    assert "cut" in outcome.value[1]


def test_importing_sandbox_is_light() -> None:
    code = "import sys, sandbox; print(sorted(m for m in ('anyio', 'asyncio', 'pydantic', 'RestrictedPython') if m in sys.modules))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


async def test_several_zygotes_give_the_same_value() -> None:
    program = "import random\nreturn [list({'b', 'a', 'c', 'd'}), random.random(), sorted({1.5: 'x'}), hash('a') == hash('a')]"
    values = set()
    for _ in range(5):
        async with open_sandbox() as sandbox:
            values.add(repr((await sandbox.run(program, CONTRACT, ScriptedDoor())).value))
    assert len(values) == 1
