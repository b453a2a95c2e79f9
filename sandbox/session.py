"""The host's side of one program: serve its frames until it reports its end or dies, and say which it was.

A session owns a task group in which the requests of the program run side by side. Replies are written to the
child in the order in which they come. Nothing that the child sends is believed: wrong types, unknown
numbers and floods end in `ProtocolError`.
"""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from types import NoneType
from typing import cast, get_args

import anyio
import anyio.abc

from sandbox import errors, frames
from sandbox.children import Child, Ended
from sandbox.contract import JSON, Contract, Failure, Reply, Request, Source
from sandbox.errors import LimitExceeded, OperatorError, ProtocolError, SandboxCrash, SandboxViolation, WorkflowError
from sandbox.frames import Frame
from sandbox.groups import only
from sandbox.limits import Limits
from sandbox.protocol import Door, Outcome, Usage
from sandbox.requests import check_request
from sandbox.walls_calls import name_of
from sandbox.walls_filter import refused_call

_LINE = re.compile(rb'File "<workflow>", line (\d+)')
_TIMER_PRECISION = 0.5
"""The processor timer counts ticks; it has been seen to fire at 0.8 of what the process is charged with in the end."""
_DEADLINES_A_CALL = 4
"""A program that stops waiting does not take its deadline back, so more of them run than calls."""
_LONGEST_DEADLINE = 10**9
_LARGEST = 2**53
_CUT = "\n[... cut: the reply was longer than {} bytes]"


class Session:
    """One run of one program."""

    def __init__(self, child: Child, door: Door, program: str, contract: Contract, limits: Limits) -> None:
        self._child = child
        self._door = door
        self._contract = contract
        self._program = program
        self._limits = limits
        self._serving: dict[int, anyio.CancelScope] = {}
        self._last_call = 0
        self._printed: list[str] = []
        self._received = 0
        self._deadlines = 0
        self._final: Frame | None = None
        self._frames = 0
        self._started = time.monotonic()
        self._seconds = 0.0
        self.timed_out = False

    @property
    def reported(self) -> bool:
        """Whether the child has said how its program ended."""
        return self._final is not None

    async def serve(self) -> None:
        """Serve the child until it reports its end, dies, or the wall limit is over."""
        try:
            async with anyio.create_task_group() as group:
                with anyio.move_on_after(self._limits.wall_seconds) as scope:
                    await self._serve_frames(group)
                self.timed_out = scope.cancelled_caught
                group.cancel_scope.cancel()
        except BaseExceptionGroup as several:
            raise only(several) from None
        finally:
            self._seconds = time.monotonic() - self._started

    async def _serve_frames(self, group: anyio.abc.TaskGroup) -> None:
        while self._final is None:
            frame = await self._child.receive(self._limits.frame_bytes)
            if frame is None:
                return
            self._frames += 1
            self._take(frame, group)

    def outcome(self, ended: Ended | None = None) -> Outcome:
        """How the program ended. Raises `OperatorError` if that is not its author's business."""
        usage = self._usage(ended)
        printed = "".join(self._printed)
        if self._final is not None and self._final["type"] == "finished":
            return Outcome(cast("JSON", self._final.get("value")), printed, None, usage)
        if self._final is not None:
            return Outcome(None, printed, _error(self._final.get("error")), usage)
        if self.timed_out:
            error = _limit("wall", self._limits.wall_seconds, self._child.dump(), self._program)
            return Outcome(None, printed, error, usage)
        cause = cause_of_death(ended, self._child.dump(), self._program, self._limits)
        if isinstance(cause, OperatorError):
            raise cause
        return Outcome(None, printed, cause, usage)

    def _usage(self, ended: Ended | None) -> Usage:
        """What the kernel charged a child that died; a child that reported its end reports this too, and is not waited for."""
        final = self._final or {}
        cpu, peak = (
            (ended.cpu_seconds, ended.peak_bytes)
            if ended
            else (final.get("cpu_seconds", 0.0), final.get("peak_bytes", 0))
        )
        if not isinstance(cpu, float):
            raise ProtocolError("a child reported processor seconds that are no number")
        steps = _integer(final.get("steps", 0))
        return replace(self.measured(None), cpu_seconds=cpu, peak_bytes=_integer(peak), steps=steps)

    def measured(self, ended: Ended | None) -> Usage:
        """What this side has measured, without a word of the child's."""
        child, cpu, peak = self._child, 0.0, 0
        if ended is not None:
            cpu, peak = ended.cpu_seconds, ended.peak_bytes
        return Usage(
            cpu, self._seconds, peak, 0, self._frames, child.frames_written, child.bytes_read, child.bytes_written
        )

    def _take(self, frame: Frame, group: anyio.abc.TaskGroup) -> None:
        kind = frame.get("type")
        if kind == "calls":
            self._take_calls(frame, group)
        elif kind == "printed":
            self._take_printed(frame.get("text"))
        elif kind == "waiting":
            self._door.waiting(self._serving.keys())
        elif kind in ("finished", "failed"):
            self._final = frame
        else:
            raise ProtocolError(f"a child sent a frame of the unknown type {kind!r}")

    def _take_printed(self, text: object) -> None:
        if not isinstance(text, str):
            raise ProtocolError("a child sent printed text that is no text")
        if self._received + len(text) > self._limits.printed_chars:
            raise ProtocolError("a child printed more than its limit")
        if self._received < self._limits.printed_kept:
            self._printed.append(text[: self._limits.printed_kept - self._received])
        self._received += len(text)

    def _take_calls(self, frame: Frame, group: anyio.abc.TaskGroup) -> None:
        batch = [self._request(data) for data in _list(frame, "requests")]
        if len(self._serving) + len(batch) > self._limits.outstanding_calls:
            raise ProtocolError("a child has more calls outstanding than its limit")
        for number in _list(frame, "withdrawn"):
            scope = self._serving.pop(_integer(number), None)
            if scope is not None:
                scope.cancel()
        for request, function in zip(batch, self._door.admit(batch), strict=True) if batch else ():
            scope = self._serving[request.call] = anyio.CancelScope()
            group.start_soon(self._serve_one, request.call, function, scope)
        for deadline in _list(frame, "deadlines"):
            number, seconds = _deadline(deadline)
            self._deadlines += 1
            if self._deadlines > self._limits.outstanding_calls * _DEADLINES_A_CALL:
                raise ProtocolError("a child has more deadlines running than any program needs")
            group.start_soon(self._expire, number, self._door.deadline(number, seconds))

    async def _serve_one(self, call: int, function: Callable[[], Awaitable[Reply]], scope: anyio.CancelScope) -> None:
        with scope:
            reply = await function()
            if self._serving.pop(call, None) is not None:
                await self._child.send(_reply_frame(call, reply, self._limits))

    async def _expire(self, number: int, over: Callable[[], Awaitable[None]]) -> None:
        await over()
        self._deadlines -= 1
        await self._child.send({"type": "expired", "deadline": number})

    def _request(self, data: object) -> Request:
        if not isinstance(data, dict):
            raise ProtocolError("a child sent a request that is no object")
        call, function, arguments, branch = (data.get(key) for key in ("call", "function", "arguments", "branch"))
        line, sources = data.get("line"), data.get("sources")
        if not (
            _is_number(call) and isinstance(function, str) and isinstance(arguments, dict) and isinstance(branch, str)
            and isinstance(sources, list) and (line is None or _is_number(line))
        ):  # fmt: skip
            raise ProtocolError("a child sent a request with missing or wrong fields")
        call, line = cast("int", call), cast("int | None", line)
        if call <= self._last_call:
            raise ProtocolError(f"a child used the call number {call} again")
        self._last_call = call
        check_request(self._contract, self._limits, function, arguments)
        return Request(call, function, arguments, branch, line, tuple(_source(source, call) for source in sources))


def cause_of_death(ended: Ended | None, dump: bytes, program: str, limits: Limits) -> WorkflowError | OperatorError:
    """What a child died of that reported nothing."""
    if ended is None:
        return SandboxCrash("the sandbox's zygote died while a program ran; open a new sandbox")
    code = ended.code
    if code == -signal.SIGSYS:
        return _refused(ended, dump, program, limits)
    if code in (-signal.SIGPROF, -signal.SIGXCPU):
        return _limit("cpu", limits.cpu_seconds, dump, program)
    if b"MemoryError" in dump:
        return _limit("memory", limits.memory_bytes, dump, program)
    what = dump.decode("utf-8", "replace").strip()[:500]
    how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    return SandboxCrash(f"a program's child process died ({how}){f': {what}' if what else ''}")


def _refused(ended: Ended, dump: bytes, program: str, limits: Limits) -> WorkflowError | OperatorError:
    """The wall kills without a record for one thing: a new handler for SIGPROF, which is how the dump for a limit ends."""
    number = refused_call(dump)
    if number is None and ended.cpu_seconds > limits.cpu_seconds * _TIMER_PRECISION:
        return _limit("cpu", limits.cpu_seconds, dump, program)
    if number is None:
        return SandboxViolation("a program was killed for a system call that the wall refuses; its number is not known")
    name = name_of(number, os.uname().machine)
    message = f"a program was killed for the system call {number} ({name or 'unknown'}), which the wall refuses"
    return SandboxViolation(message, number, name)


def _limit(kind: errors.LimitKind, value: float, dump: bytes, program: str) -> LimitExceeded:
    words = {
        "cpu": f"the program used more than {value:g} processor seconds",
        "wall": f"the program ran longer than {value:g} seconds",
        "memory": f"the program used more than {value / 2**20:.0f} MiB of memory",
    }
    found = _LINE.search(dump)
    line = int(found[1]) if found else None
    lines = program.splitlines()
    source = lines[line - 1].strip() if line and line <= len(lines) else None
    return LimitExceeded(words[kind], line, source, None, kind, value)


def _reply_frame(call: int, reply: Reply, limits: Limits) -> Frame:
    failure = reply.failure
    if failure is None:
        frame: Frame = {"type": "reply", "call": call, "value": _cut(reply.value, limits)}
        if len(frames.encode(frame, 2**31)) <= limits.frame_bytes:
            return frame
        failure = Failure("CallFailed", f"the reply is larger than {limits.frame_bytes} bytes")
    return {"type": "reply", "call": call, "failure": {"kind": failure.kind, "message": failure.message[:4000]}}


def _cut(value: JSON, limits: Limits) -> JSON:
    if not isinstance(value, str) or len(value.encode("utf-8", "replace")) <= limits.reply_bytes:
        return value
    kept = value.encode("utf-8", "replace")[: limits.reply_bytes].decode("utf-8", "ignore")
    return kept + _CUT.format(limits.reply_bytes)


def _error(data: object) -> WorkflowError:
    if not isinstance(data, dict):
        raise ProtocolError("a child failed without saying how")
    fields = dict(data)
    kind = getattr(errors, str(fields.pop("kind", "")), None)
    if not (isinstance(kind, type) and issubclass(kind, WorkflowError)):
        raise ProtocolError("a child failed with an unknown kind of error")
    line, value = fields.get("line"), fields.get("value", 0)
    if not (
        isinstance(fields.get("message"), str) and (line is None or _is_number(line))
        and all(isinstance(fields.get(key), (str, NoneType)) for key in ("source_line", "hint"))
        and fields.get("limit", "steps") in get_args(errors.LimitKind) and (_is_number(value) or isinstance(value, float))
    ):  # fmt: skip
        raise ProtocolError("a child failed with wrong fields")
    try:
        return kind(**fields)
    except TypeError as error:
        raise ProtocolError(f"a child failed with wrong fields: {error}") from None


def _deadline(data: object) -> tuple[int, float]:
    if isinstance(data, dict):
        number, seconds = data.get("deadline"), data.get("seconds")
        if isinstance(seconds, (int, float)) and not isinstance(seconds, bool):
            return _integer(number), float(max(0, min(seconds, _LONGEST_DEADLINE)))
    raise ProtocolError("a child sent a deadline without seconds")


def _source(data: object, reader: int) -> Source:
    """Where an argument of the call `reader` comes from: always an earlier call."""
    if isinstance(data, dict):
        argument, path, call = data.get("argument"), data.get("path"), _integer(data.get("call"))
        if (
            isinstance(argument, str)
            and isinstance(path, list)
            and all(isinstance(s, str) or _is_number(s) for s in path)
            and 0 < call < reader
        ):
            return Source(argument, tuple(path), call)
    raise ProtocolError("a child sent a source with missing or wrong fields")


def _list(frame: Frame, key: str) -> list[object]:
    value = frame.get(key)
    if not isinstance(value, list):
        raise ProtocolError(f"a child sent calls without a list of {key}")
    return value


def _integer(value: object) -> int:
    if not _is_number(value):
        raise ProtocolError(f"a child sent a {type(value).__name__} where a whole number of reasonable size must be")
    return cast("int", value)


def _is_number(value: object) -> bool:
    """Whether it is a whole number, no truth value, that fits where numbers are stored."""
    return type(value) is int and -_LARGEST <= value <= _LARGEST
