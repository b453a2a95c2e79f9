"""The engine: one zygote, one forked child per program, and the host's side of the conversation.

`open_sandbox` starts the zygote and gives a `ZygoteSandbox`. For each program the host makes a socket pair and a pipe,
has the zygote fork a child that owns their other ends, sends the work, and serves the child's frames until it
reports its end or dies. The host never parses a program, and believes nothing that a child says: every frame is
checked, and one that makes no sense ends the program with `ProtocolError`.
"""

from __future__ import annotations

import itertools
import math
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, cast

import anyio
import anyio.abc
from anyio.streams.buffered import BufferedByteReceiveStream

from sandbox import frames
from sandbox.contract import Contract, Finding
from sandbox.errors import OperatorError, ProtocolError, SandboxCrash, SandboxUnavailable
from sandbox.frames import Frame
from sandbox.groups import only
from sandbox.level import DEFAULT_MINIMUM, LevelReport
from sandbox.limits import Limits
from sandbox.protocol import Door, Level, Outcome, Setting
from sandbox.session import Child, Ended, Fork, Session, cause_of_death

_ROOT = Path(__file__).resolve().parent.parent
_ENVIRONMENT = {"PYTHONHASHSEED": "0"}
_BOOT = "import sys; sys.path[:] = {path!r}; from sandbox.zygote import main; main({descriptor})"
_CHECK_LIMITS = Limits(cpu_seconds=2.0, wall_seconds=20.0)
_DEATH_SECONDS = 2.0
_ENDING = (("", _DEATH_SECONDS), ("kill", math.inf))
_STOPPING = (("stop", 0.5), ("dump", _DEATH_SECONDS), ("kill", math.inf))
"""What is said to a child whose time is over, and for how long it is waited for: code stuck in C heeds the second only."""


@asynccontextmanager
async def open_sandbox(minimum: Level = DEFAULT_MINIMUM) -> AsyncIterator[ZygoteSandbox]:
    """A sandbox of at least the `minimum` isolation level.

    Raises `SandboxUnavailable` if that level cannot be reached here; it never falls back to a lower one.
    """
    process, control, complaints = _start_zygote()
    try:
        async with await anyio.abc.UNIXSocketStream.from_socket(control) as stream, anyio.create_task_group() as group:
            sandbox = ZygoteSandbox(stream)
            group.start_soon(sandbox.listen)
            try:
                reached = await sandbox.ready(complaints)
                _demand(minimum, reached)
                yield sandbox
            finally:
                group.cancel_scope.cancel()
    except BaseExceptionGroup as several:
        raise only(several) from None
    finally:
        complaints.close()
        await _end(process)


def _demand(minimum: Level, reached: LevelReport) -> None:
    if reached.level < minimum:
        reasons = "; ".join(reached.reasons)
        raise SandboxUnavailable(f"isolation level {minimum} is demanded and {reached.level} is reached: {reasons}")


def _start_zygote() -> tuple[subprocess.Popen[bytes], socket.socket, IO[bytes]]:
    complaints = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the zygote is; closed by `open_sandbox`
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    descriptor = theirs.fileno()
    path = [str(_ROOT), *(entry for entry in sys.path if entry and Path(entry).exists())]
    code = _BOOT.format(path=path, descriptor=descriptor)
    with theirs:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own code
            [sys.executable, "-s", "-P", "-S", "-B", "-c", code],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=complaints,
            env=_ENVIRONMENT, pass_fds=[descriptor], start_new_session=True,
        )  # fmt: skip
    return process, ours, complaints


async def _end(process: subprocess.Popen[bytes]) -> None:
    """The zygote ends by itself when its control socket closes; if it does not, it is killed."""
    with anyio.CancelScope(shield=True):
        with anyio.move_on_after(_DEATH_SECONDS):
            await anyio.to_thread.run_sync(process.wait, abandon_on_cancel=True)
        if process.poll() is None:
            process.kill()
            process.wait()


class ZygoteSandbox:
    """A `Sandbox` of warm forks. Made by `open_sandbox`."""

    def __init__(self, control: anyio.abc.UNIXSocketStream) -> None:
        self._reached = LevelReport(0, ())
        self._control = control
        self._lock = anyio.Lock()
        self._tickets = itertools.count(1)
        self._forks: dict[int, Fork] = {}
        self._by_pid: dict[int, Fork] = {}
        self._ready = anyio.Event()
        self._gone: str | None = None

    @property
    def level(self) -> Level:
        return self._reached.level

    async def ready(self, complaints: IO[bytes]) -> LevelReport:
        """Wait until the zygote can fork, and give what it reached.

        Raises `SandboxUnavailable` with the last thing that it complained of.
        """
        with anyio.move_on_after(30):
            await self._ready.wait()
        if not self._ready.is_set() or self._gone:
            complaints.seek(0)
            last = complaints.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise SandboxUnavailable(f"the sandbox's zygote did not start: {last or 'it said nothing'}")
        return self._reached

    async def check(self, program: str, contract: Contract, limits: Limits = _CHECK_LIMITS) -> list[Finding]:
        """What is wrong with the program as far as can be told without running it."""
        async with self._child() as child:
            await child.send(_start("check", program, contract, limits, Setting()))
            with anyio.move_on_after(limits.wall_seconds):
                frame = await child.receive(limits.frame_bytes)
                if frame is not None:
                    return _findings(frame)
            ended = await self._await_end(child)
            error = cause_of_death(ended, child.dump(), program, limits)
            if isinstance(error, OperatorError):
                raise error
            return [Finding("syntax", str(error), error.line or 1, 0, error.source_line or "", error.hint)]

    async def run(
        self, program: str, contract: Contract, door: Door, *, limits: Limits = Limits(), setting: Setting = Setting()
    ) -> Outcome:
        """Run the program to its end. Raises `OperatorError` only; the program's faults are in the outcome."""
        async with self._child() as child:
            session = Session(child, door, program, limits)
            await child.send(_start("run", program, contract, limits, setting))
            await session.serve()
            ended = await self._await_end(child, _STOPPING if session.timed_out else _ENDING)
            return session.outcome(ended)

    async def aclose(self) -> None:
        """End every process; leaving `open_sandbox` does the same."""
        await self._control.aclose()

    async def listen(self) -> None:
        """Take in what the zygote reports, until it is gone."""
        reader = BufferedByteReceiveStream(self._control)
        try:
            while True:
                length = frames.body_length(await reader.receive_exactly(frames.HEADER.size), 65_536)
                self._note(frames.decode(await reader.receive_exactly(length)))
        except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._lose("the sandbox's zygote died")

    def _note(self, frame: Frame) -> None:
        kind, pid = frame["type"], cast("int", frame["pid"])
        if kind == "ready":
            self._reached = LevelReport(cast("Level", frame["level"]), tuple(cast("list[str]", frame["missing"])))
            self._ready.set()
        elif kind == "forked":
            fork = self._forks.pop(cast("int", frame["ticket"]))
            fork.pid = pid
            self._by_pid[pid] = fork
            fork.forked.set()
        elif kind == "ended":
            fork = self._by_pid.pop(pid)
            code, cpu, peak = frame["code"], frame["cpu_seconds"], frame["peak_bytes"]
            fork.end = Ended(cast("int", code), cast("float", cpu), cast("int", peak))
            fork.ended.set()

    def _lose(self, reason: str) -> None:
        self._gone = reason
        self._ready.set()
        for fork in [*self._forks.values(), *self._by_pid.values()]:
            fork.forked.set()
            fork.ended.set()

    @asynccontextmanager
    async def _child(self) -> AsyncIterator[Child]:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        dump_reader, dump_writer = os.pipe()
        os.set_blocking(dump_reader, False)
        try:
            with theirs:
                fork = await self._fork(theirs.fileno(), dump_writer)
        except BaseException:
            ours.close()
            os.close(dump_reader)
            raise
        finally:
            os.close(dump_writer)
        try:
            async with await anyio.abc.UNIXSocketStream.from_socket(ours) as stream:
                yield Child(fork, stream, dump_reader)
        finally:
            os.close(dump_reader)
            if not fork.ended.is_set():
                with anyio.CancelScope(shield=True):
                    await self._tell("kill", fork.pid)

    async def _fork(self, connection: int, dump: int) -> Fork:
        fork, ticket = Fork(), next(self._tickets)
        self._forks[ticket] = fork
        message = f"fork {ticket}".encode().ljust(frames.CONTROL_BYTES)
        async with self._lock:
            await self._send(message, [connection, dump])
        await fork.forked.wait()
        if self._gone or fork.pid == 0:
            raise SandboxCrash(f"{self._gone}; open a new sandbox")
        return fork

    async def _tell(self, what: str, pid: int) -> None:
        async with self._lock:
            await self._send(f"{what} {pid}".encode().ljust(frames.CONTROL_BYTES), [])

    async def _send(self, message: bytes, descriptors: list[int]) -> None:
        try:
            if descriptors:
                await self._control.send_fds(message, descriptors)
            else:
                await self._control.send(message)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._lose("the sandbox's zygote died")

    async def _await_end(self, child: Child, steps: Sequence[tuple[str, float]] = _ENDING) -> Ended | None:
        """The end of a child that has finished or has to; each step says a word to it and gives it some seconds."""
        fork = child.fork
        for word, seconds in steps:
            if word and not fork.ended.is_set():
                await self._tell(word, fork.pid)
            with anyio.move_on_after(seconds):
                await fork.ended.wait()
        return fork.end


def _start(kind: str, program: str, contract: Contract, limits: Limits, setting: Setting) -> Frame:
    return {
        "type": kind, "program": program.encode("utf-8", "replace").decode(), "contract": asdict(contract),
        "limits": asdict(limits), "seed": setting.seed, "now": setting.now,
    }  # fmt: skip


def _findings(frame: Frame) -> list[Finding]:
    found = frame.get("findings")
    if frame.get("type") != "findings" or not isinstance(found, list):
        raise ProtocolError(f"a check answered with {frame.get('type')!r}")
    try:
        return [Finding(**finding) for finding in found]
    except TypeError as error:
        raise ProtocolError(f"a finding has wrong fields: {error}") from None
