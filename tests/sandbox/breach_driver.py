"""Runs every breach payload in a sandbox whose language layer is left out, and prints what became of each, as JSON.

Arguments: `nobody` gives up root first (but for reading files, which the interpreter's own may need), `no-namespaces` has the
kernel refuse namespaces and Landlock to this process and all below, as a container does.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import sys
from dataclasses import replace
from pathlib import Path

import anyio

from sandbox import Limits, ZygoteSandbox, children, open_sandbox, walls_filter
from sandbox.errors import OperatorError
from sandbox.walls_calls import NUMBERS
from tests.sandbox.doors import CONTRACT, ScriptedDoor

PAYLOADS = sorted((Path(__file__).parent / "breach").glob("*.py"))
RAW_BOOT = "import sys; sys.path[:] = {path!r}; from tests.sandbox.raw_zygote import main; main({descriptor})"
LIMITS = Limits(cpu_seconds=0.5, wall_seconds=15, outstanding_calls=1000)
IMPATIENT = replace(LIMITS, wall_seconds=1.5)
SIDE_BY_SIDE = 4
_CAP_DAC_READ_SEARCH = 2
_NOBODY = 65534


def become_nobody() -> None:
    """An ordinary user, except that it may read root's files."""
    libc = ctypes.CDLL(None)
    libc.prctl(8, 1, 0, 0, 0)  # PR_SET_KEEPCAPS
    os.setgroups([])
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    one = 1 << _CAP_DAC_READ_SEARCH
    libc.capset(struct.pack("<Ii", 0x20080522, 0), struct.pack("<6I", one, one, one, 0, 0, 0))
    libc.prctl(47, 2, _CAP_DAC_READ_SEARCH, 0, 0)  # PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE


def refuse(*names: str) -> None:
    """Have these system calls answer EPERM from now on, here and in every process started from here."""
    numbers = NUMBERS[os.uname().machine]
    ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # no_new_privs
    program = [(0x20, 0, 0, 0)]
    for name in names:
        program += [(0x15, 0, 1, numbers[name]), (0x06, 0, 0, 0x00050001)]
    program.append((0x06, 0, 0, 0x7FFF0000))
    walls_filter._install(walls_filter._packed(program), numbers["seccomp"])


async def fate(sandbox: ZygoteSandbox, program: str) -> tuple[str, str]:
    limits = IMPATIENT if "must: limit: wall" in program else LIMITS
    try:
        outcome = await sandbox.run(program, CONTRACT, ScriptedDoor(latency=60), limits=limits)
    except OperatorError as error:
        return type(error).__name__, str(error)
    if outcome.error is not None:
        return outcome.error.kind, str(outcome.error)
    return "finished", str(outcome.value)


async def main() -> None:
    children._BOOT = RAW_BOOT
    async with open_sandbox(2) as sandbox:
        fates: dict[str, tuple[str, str]] = {}
        places = anyio.Semaphore(SIDE_BY_SIDE)

        async def one(path: Path) -> None:
            async with places:
                fates[path.stem] = await fate(sandbox, path.read_text())

        async with anyio.create_task_group() as group:
            for path in PAYLOADS:
                group.start_soon(one, path)
        after = await fate(sandbox, "result = 1 + 1")
    # Not ru_maxrss: that begins with the size of the process that started this one.
    status = Path("/proc/self/status").read_text()
    peak = next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))
    print(json.dumps({"level": sandbox.level, "fates": fates, "after": after, "peak": peak}))  # noqa: T201


if __name__ == "__main__":
    if "nobody" in sys.argv:
        become_nobody()
    if "no-namespaces" in sys.argv:
        refuse("unshare", "landlock_create_ruleset")
    anyio.run(main)
