"""What is known of a program that has ended, however it ended: time, memory, frames, bytes, and the call that killed it."""

from __future__ import annotations

import pytest

from sandbox import Limits, ZygoteSandbox, children, open_sandbox
from sandbox.errors import OperatorError, ProtocolError, SandboxCrash, SandboxViolation
from sandbox.walls_calls import NUMBERS
from tests.sandbox.breach_driver import RAW_BOOT
from tests.sandbox.doors import CONTRACT, ScriptedDoor

pytestmark = pytest.mark.anyio
BUSY = "x = 0\nfor i in range(10000): x += i\n"
KILLED = BUSY + "import os\nos.execv('/bin/sh', ['sh'])"
FLOODING = BUSY + "rpc.write({'type': 'printed', 'text': 7})"
CRASHING = BUSY + "import os\nos._exit(9)"


@pytest.fixture
async def raw(monkeypatch: pytest.MonkeyPatch) -> ZygoteSandbox:
    """A sandbox whose language layer is left out: its programs can reach for what the walls refuse."""
    monkeypatch.setattr(children, "_BOOT", RAW_BOOT)
    async with open_sandbox() as opened:
        yield opened


async def test_bytes_are_counted_both_ways(sandbox: ZygoteSandbox) -> None:
    little = (await sandbox.run("return ask('solver', 'q')", CONTRACT, ScriptedDoor())).usage
    much = (await sandbox.run("return ask('solver', 'q' * 9000)", CONTRACT, ScriptedDoor())).usage
    assert (little.frames, little.frames_written) == (2, 2)  # a call and the end; the work and a reply
    assert much.bytes_read - little.bytes_read > 2 * 8000  # in the call, and in the value
    assert 8000 < much.bytes_written - little.bytes_written < 2 * 9000
    assert little.cpu_seconds > 0
    assert little.peak_bytes > 2**20


@pytest.mark.parametrize(
    ("program", "kind"), [(KILLED, SandboxViolation), (FLOODING, ProtocolError), (CRASHING, SandboxCrash)]
)
async def test_an_error_for_the_operator_carries_the_usage(
    raw: ZygoteSandbox, program: str, kind: type[OperatorError]
) -> None:
    with pytest.raises(kind) as caught:
        await raw.run(program, CONTRACT, ScriptedDoor(), limits=Limits(wall_seconds=20))
    usage = caught.value.usage
    assert usage is not None
    assert usage.cpu_seconds > 0
    assert usage.peak_bytes > 2**20
    assert (usage.frames_written, usage.frames) == (1, 1 if kind is ProtocolError else 0)
    assert usage.bytes_written > len(program)


async def test_a_refused_system_call_is_told_by_number_and_name(raw: ZygoteSandbox) -> None:
    with pytest.raises(SandboxViolation) as caught:
        await raw.run(KILLED, CONTRACT, ScriptedDoor())
    assert caught.value.call == "execve"
    assert caught.value.number in {numbers["execve"] for numbers in NUMBERS.values()}
