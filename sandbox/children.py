"""The host's side of a zygote and of the children that it forks.

For each child the host makes a socket pair and a pipe, and has the zygote fork a process that owns their other ends. A few
children are forked ahead: they have raised their walls and wait for their work, so that a program does not wait for a fork.
Each child serves one program. One that is taken is replaced while the program runs, one that died idle is passed over.
"""

from __future__ import annotations

import itertools
import math
import os
import socket
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

import anyio
import anyio.abc
from anyio.streams.buffered import BufferedByteReceiveStream

from sandbox import frames
from sandbox.connection import Connection
from sandbox.errors import SandboxCrash, SandboxUnavailable
from sandbox.frames import Frame
from sandbox.level import LevelReport
from sandbox.protocol import Level

AHEAD = 2
"""Children that wait for work."""

_ROOT = Path(__file__).resolve().parent.parent
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "TZ": "UTC0"}
_BOOT = (
    "import sys; sys.path[:] = {path!r}; from sandbox.layout import fix_layout; fix_layout(); "
    "from sandbox.zygote import main; main({descriptor})"
)
_LATER = 0.002
_START_SECONDS = 30.0
_DEATH_SECONDS = 2.0
ENDING = (("", _DEATH_SECONDS), ("kill", math.inf))
KILLING = (("kill", _DEATH_SECONDS),)
STOPPING = (("stop", 0.5), ("dump", _DEATH_SECONDS), ("kill", math.inf))
"""What is said to a child whose time is over, and for how long it is waited for: code stuck in C heeds the second only."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended: exit code (negative: a signal), processor seconds, peak resident bytes."""

    code: int
    cpu_seconds: float
    peak_bytes: int


@dataclass(slots=True)
class Fork:
    """A fork that was asked for: its process id once known, its end once over."""

    forked: anyio.Event = field(default_factory=anyio.Event)
    ended: anyio.Event = field(default_factory=anyio.Event)
    pid: int = 0
    end: Ended | None = None


class Child:
    """A forked child: its process, its socket, and the pipe into which it dumps its stack when it is killed."""

    def __init__(self, fork: Fork, stream: Connection, dump: int) -> None:
        self.fork = fork
        self._stream = stream
        self._reader = BufferedByteReceiveStream(stream)
        self._dump = dump
        self.frames_written = self.bytes_written = self.bytes_read = 0
        self._lock = anyio.Lock(fast_acquire=True)

    async def send(self, frame: Frame) -> None:
        """Write a frame; a child that is gone does not read it, which is no error."""
        data = frames.encode(frame, 2**31)
        async with self._lock:
            try:
                await self._stream.send(data)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return
            self.frames_written += 1
            self.bytes_written += len(data)

    async def receive(self, limit: int) -> Frame | None:
        """The next frame, or None when the child has gone."""
        try:
            length = frames.body_length(await self._reader.receive_exactly(frames.HEADER.size), limit)
            body = await self._reader.receive_exactly(length)
        except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError):
            return None
        self.bytes_read += frames.HEADER.size + length
        return frames.decode(body)

    async def aclose(self) -> None:
        """Let go of it; a child that waits for work or a reply then ends by itself."""
        os.close(self._dump)
        await self._stream.aclose()

    def dump(self) -> bytes:
        """What the child dumped."""
        try:
            return os.read(self._dump, 65_536)
        except BlockingIOError:
            return b""


class Zygote:
    """A zygote process: the level that it reached, and its children."""

    def __init__(self, process: subprocess.Popen[bytes], control: Connection, complaints: IO[bytes]) -> None:
        self.reached = LevelReport(0, ())
        self.gone = False
        self._process = process
        self._control = control
        self._complaints = complaints
        self._lock = anyio.Lock(fast_acquire=True)
        self._tickets = itertools.count(1)
        self._forks: dict[int, Fork] = {}
        self._by_pid: dict[int, Fork] = {}
        self._ahead: deque[Child] = deque()
        self._coming = 0
        self._ready = anyio.Event()

    @classmethod
    async def start(cls, group: anyio.abc.TaskGroup) -> Zygote:
        """Start the process, and listen to it in a task of the group. It has to be closed whatever happens then."""
        complaints = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the zygote is
        process, control = _start_process(complaints)
        zygote = cls(process, Connection(control), complaints)
        group.start_soon(zygote._listen)
        return zygote

    async def ready(self) -> None:
        """Wait until it can fork. Raises `SandboxUnavailable` with the last thing that it complained of."""
        with anyio.move_on_after(_START_SECONDS):
            await self._ready.wait()
        if not self._ready.is_set() or self.gone:
            self._complaints.seek(0)
            last = self._complaints.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise SandboxUnavailable(f"the sandbox's zygote did not start: {last or 'it said nothing'}")

    @asynccontextmanager
    async def child(self) -> AsyncIterator[Child]:
        """A child that waits for its work; at the end it is killed if it has not ended."""
        child = await self._take()
        try:
            yield child
        finally:
            with anyio.CancelScope(shield=True):
                await child.aclose()
                if not child.fork.ended.is_set():
                    await self._tell("kill", child.fork.pid)

    async def make_up(self) -> None:
        """Make up for a child that was taken; at once if it was the last, else when it is at work, whose time a fork would take.

        That there are no descriptors left is for whoever takes a child to say.
        """
        if self._ahead:
            await anyio.sleep(_LATER)
        with suppress(OSError):
            await self.fork_ahead()

    async def fork_ahead(self) -> None:
        """Have as many children wait as there should."""
        while len(self._ahead) + self._coming < AHEAD and not self.gone:
            self._coming += 1
            try:
                child = await self._begin()
            finally:
                self._coming -= 1
            if self.gone:
                await child.aclose()
            else:
                self._ahead.append(child)

    async def await_end(self, child: Child, steps: Sequence[tuple[str, float]] = ENDING) -> Ended | None:
        """The end of a child that has finished or has to; each step says a word to it and gives it some seconds.

        None if the zygote died before it could tell.
        """
        fork = child.fork
        for word, seconds in steps:
            if word and not fork.ended.is_set():
                await self._tell(word, fork.pid)
            with anyio.move_on_after(seconds):
                await fork.ended.wait()
        return fork.end

    async def aclose(self) -> None:
        """End it and every child. It ends by itself when its control socket closes; if it does not, it is killed."""
        self.gone = True
        with anyio.CancelScope(shield=True):
            await self._control.aclose()
            for child in self._ahead:
                await child.aclose()
            self._ahead.clear()
            self._complaints.close()
            with anyio.move_on_after(_DEATH_SECONDS):
                await anyio.to_thread.run_sync(self._process.wait, abandon_on_cancel=True)
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()

    async def _listen(self) -> None:
        reader = BufferedByteReceiveStream(self._control)
        try:
            while True:
                length = frames.body_length(await reader.receive_exactly(frames.HEADER.size), 65_536)
                self._note(frames.decode(await reader.receive_exactly(length)))
        except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._lose()

    def _note(self, frame: Frame) -> None:
        kind, pid = frame["type"], cast("int", frame["pid"])
        if kind == "ready":
            self.reached = LevelReport(cast("Level", frame["level"]), tuple(cast("list[str]", frame["missing"])))
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

    def _lose(self) -> None:
        self.gone = True
        self._ready.set()
        for fork in [*self._forks.values(), *self._by_pid.values()]:
            fork.forked.set()
            fork.ended.set()

    async def _take(self) -> Child:
        while self._ahead:
            child = self._ahead.popleft()
            if not child.fork.ended.is_set():
                break
            await child.aclose()
        else:
            child = await self._begin()
        try:
            await child.fork.forked.wait()
            if child.fork.ended.is_set():
                raise SandboxCrash("a child of the sandbox's zygote died before it was given a program")
        except BaseException:
            with anyio.CancelScope(shield=True):
                await child.aclose()
            raise
        return child

    async def _begin(self) -> Child:
        """Have a child forked, without waiting for it."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        dump_reader, dump_writer = os.pipe()
        os.set_blocking(dump_reader, False)
        fork, ticket = Fork(), next(self._tickets)
        self._forks[ticket] = fork
        try:
            with theirs:
                await self._send(f"fork {ticket}", [theirs.fileno(), dump_writer])
            return Child(fork, Connection(ours), dump_reader)
        except BaseException:
            ours.close()
            os.close(dump_reader)
            raise
        finally:
            os.close(dump_writer)

    async def _tell(self, word: str, pid: int) -> None:
        await self._send(f"{word} {pid}", [])

    async def _send(self, text: str, descriptors: list[int]) -> None:
        message = text.encode().ljust(frames.CONTROL_BYTES)
        try:
            async with self._lock:
                if descriptors:
                    await self._control.send_fds(message, descriptors)
                else:
                    await self._control.send(message)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._lose()


def _start_process(complaints: IO[bytes]) -> tuple[subprocess.Popen[bytes], socket.socket]:
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
    return process, ours
