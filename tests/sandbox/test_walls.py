"""The walls themselves: which level is reached, what is said when one is missing, and that nothing outlives its host."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from sandbox import Limits, ZygoteSandbox, open_sandbox, walls_filter
from sandbox.errors import SandboxUnavailable
from sandbox.level import detect
from sandbox.walls_calls import NUMBERS, name_of
from tests.sandbox.conftest import Engine
from tests.sandbox.doors import CONTRACT, ScriptedDoor

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")]
ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def engine() -> Engine:
    return open_sandbox


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments], env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip


REFUSING = """
import anyio, sys
from sandbox import open_sandbox
from sandbox.level import detect
from tests.sandbox.breach_driver import refuse
refuse(*sys.argv[2:])
async def main():
    async with open_sandbox(int(sys.argv[1])) as sandbox:
        print("opened at", sandbox.level)
report = detect()
print(report.level, report.reasons)
anyio.run(main)
"""


async def test_the_sandbox_is_at_the_level_that_is_detected(sandbox: ZygoteSandbox) -> None:
    report = detect()
    assert sandbox.level == report.level >= 2
    assert (report.level == 3) == (not report.reasons)


async def test_a_level_that_cannot_be_reached_is_refused() -> None:
    run = python(REFUSING, "3", "unshare")
    assert run.returncode != 0
    assert "SandboxUnavailable: isolation level 3 is demanded and 2 is reached" in run.stderr
    assert "no new namespace for net (Operation not permitted), pid" in run.stderr
    assert "allow unshare in the container's seccomp profile" in run.stderr
    assert re.match(r"2 \(.no new namespace", run.stdout)


async def test_without_landlock_level_2_is_reached() -> None:
    run = python(REFUSING, "2", "landlock_create_ruleset")
    assert "opened at 2" in run.stdout
    assert "no Landlock (Operation not permitted): Linux 5.13 or newer" in run.stdout


async def test_without_a_filter_the_default_minimum_is_not_reached() -> None:
    run = python(REFUSING, "2", "seccomp")
    assert "isolation level 2 is demanded and 1 is reached: the kernel has no SECCOMP_RET_KILL_PROCESS" in run.stderr
    assert "opened at 1" in python(REFUSING, "1", "seccomp").stdout


async def test_an_unknown_processor_has_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    uname = os.uname()
    monkeypatch.setattr(os, "uname", lambda: os.uname_result((*uname[:4], "riscv64")))
    assert "no table of system calls for linux on riscv64" in str(walls_filter.make_filter(2))


async def test_an_unknown_minimum_is_refused() -> None:
    with pytest.raises(SandboxUnavailable, match="isolation level 4 is demanded"):
        async with open_sandbox(4):  # type: ignore[arg-type]
            pass


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
async def test_the_filter_program_is_well_formed(machine: str) -> None:
    numbers = NUMBERS[machine]
    for program in (walls_filter._wall(numbers, 1, 2), walls_filter._seal(numbers, 2)):
        assert len(program) < 4096
        for place, (code, when_true, when_false, _) in enumerate(program):
            assert code == 0x06 or place + 1 + max(when_true, when_false) < len(program)
        assert program[-1][0] == 0x06
    assert name_of(numbers["ptrace"], machine) == "ptrace"
    assert len(walls_filter._handler_code(machine, 4)) % (4 if machine == "aarch64" else 1) == 0


async def test_the_child_holds_no_privileges_and_little_else(sandbox: ZygoteSandbox) -> None:
    before = set(descendants_of(os.getpid()))
    async with anyio.create_task_group() as group:
        group.start_soon(sandbox.run, "return ask('solver', 'q') + ''", CONTRACT, ScriptedDoor(latency=0.5))
        await anyio.sleep(0.3)
        children = [pid for pid in before | set(descendants_of(os.getpid())) if field(pid, "Seccomp") == "2"]
        assert children
        for pid in children:
            assert field(pid, "NoNewPrivs") == "1"
            assert {field(pid, name) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
            assert field(pid, "Uid").split()[0] != "0"
            assert len(field(pid, "NSpid").split()) == (2 if sandbox.level == 3 else 1)
            assert sorted(os.listdir(f"/proc/{pid}/fd")) == ["0", "1", "2", "3", "4"]
            assert {os.readlink(f"/proc/{pid}/fd/{number}") for number in "012"} == {"/dev/null"}


async def test_the_wall_limit_gives_the_line_also_for_code_stuck_in_c(sandbox: ZygoteSandbox) -> None:
    program = "import re\nx = 1\nreturn re.match('(a*)*b', 'a' * 64)"
    limits = Limits(cpu_seconds=30, wall_seconds=0.3)
    outcome = await sandbox.run(program, CONTRACT, ScriptedDoor(), limits=limits)
    assert (outcome.error.limit, outcome.error.line) == ("wall", 3)


async def test_nothing_outlives_a_host_that_is_killed() -> None:
    code = (
        "import anyio, sandbox\nfrom tests.sandbox.doors import CONTRACT, ScriptedDoor\n"
        "async def main():\n"
        "    async with sandbox.open_sandbox() as opened, anyio.create_task_group() as group:\n"
        '        group.start_soon(opened.run, \'return ask("solver", "q") + ""\', CONTRACT, ScriptedDoor(latency=60))\n'
        "        await anyio.sleep(0.3)\n"
        "        print('running', flush=True)\n"
        "        await anyio.sleep(60)\n"
        "anyio.run(main)\n"
    )
    with subprocess.Popen(  # noqa: ASYNC220 - it is killed, not waited for
        [sys.executable, "-P", "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    ) as host:
        assert host.stdout.readline() == "running\n"
        below = descendants_of(host.pid)
        assert len(below) >= 2
        host.send_signal(signal.SIGKILL)
    for _ in range(200):
        left = [pid for pid in below if alive(pid)]
        if not left:
            break
        await anyio.sleep(0.02)
    assert not left


def field(pid: int, name: str) -> str:
    found = re.search(rf"^{name}:\s*(.*)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return found[1] if found else ""


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists() and field(pid, "State")[:1] not in ("Z", "X", "")


def descendants_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task/{pid}/children")
    children = [int(child) for child in tasks.read_text().split()] if tasks.exists() else []
    return [other for child in children for other in (child, *descendants_of(child))]
