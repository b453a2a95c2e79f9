"""How a program reaches out: requests are registered, leave in batches, and are settled by the host's replies.

`Calls` is the scheduler's port. `host_function` makes the callable that a program sees for one function of
its contract. An argument may hold handles without a value: such a request waits in a branch of its own until
its inputs are there, and is never sent if one of them failed.
"""

from __future__ import annotations

import difflib
import math
import mmap
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NoReturn, Protocol, cast

from sandbox.contract import Contract, Function, Parameter
from sandbox.errors import LimitKind
from sandbox.frames import Frame
from sandbox.inside import shapes
from sandbox.inside.compiling import PROGRAM_FILE
from sandbox.inside.deferred import Coroutine, Deferred, Handle, resolve, settle, settled, wait
from sandbox.inside.scheduler import Scheduler
from sandbox.inside.values import NotPlain, Plain, error_text, exact_text, from_reply
from sandbox.limits import Limits

_PYTHONS: Mapping[str, type[Exception]] = {kind.__name__: kind for kind in (KeyError, TypeError, ValueError)}
"""What a host function may raise beside its contract's own."""
MAX_DEADLINE = 10.0**9
"""Seconds; a longer time limit is none."""


class Stop(Protocol):
    """Ends the process at once because a limit was reached, so that no `finally` of the program can interfere."""

    def __call__(self, limit: LimitKind, value: float, message: str) -> NoReturn: ...


@dataclass(slots=True)
class _Pending:
    handle: Handle
    request: Frame
    build: Callable[[object], object]


@dataclass(slots=True)
class Deadline:
    """A moment at which the host is asked to report back, as long as calls are outstanding."""

    seconds: float
    expire: Callable[[], None]
    number: int | None = None
    done: bool = False


@dataclass(frozen=True, slots=True)
class Wire:
    """The two directions of the child's socket."""

    send: Callable[[Frame], None]
    receive: Callable[[], Frame]


def _no_message() -> Frame:
    raise AssertionError("no work has begun")


NOWHERE = Wire(lambda _: None, _no_message)
"""The wire before there is work."""


@dataclass
class Calls:
    """Requests of one program: registered, outstanding, settled."""

    stop: Stop
    cancelled_error: type[Exception]
    scheduler: Scheduler = field(init=False)
    wire: Wire = NOWHERE
    limits: Limits = Limits()
    paced: bool = False
    failures: Mapping[str, type[Exception]] = field(default_factory=dict)
    _registered: list[_Pending] = field(default_factory=list)
    _sent: dict[int, _Pending] = field(default_factory=dict)
    _withdrawn: list[int] = field(default_factory=list)
    _deadlines: list[Deadline] = field(default_factory=list)
    _running: dict[int, Deadline] = field(default_factory=dict)
    _numbers: int = 0

    @property
    def outstanding(self) -> int:
        return len(self._sent)

    def register(self, handle: Handle, request: Frame, build: Callable[[object], object]) -> None:
        """Put a request into the next batch."""
        if len(self._registered) + len(self._sent) >= self.limits.outstanding_calls:
            self.stop("calls", self.limits.outstanding_calls, "too many calls are outstanding at once")
        pending = _Pending(handle, request, build)
        self._registered.append(pending)
        handle.withdraw = lambda: self._withdraw(pending)

    def deadline(self, seconds: float, expire: Callable[[], None]) -> Callable[[], None]:
        """Have `expire` called in `seconds`: by the host while calls are outstanding, else by virtual time."""
        seconds = float(seconds)  # nothing of the program may be compared by the scheduler or sent to the host
        if math.isnan(seconds):
            raise ValueError("a time limit must be a number of seconds")
        entry = Deadline(min(seconds, MAX_DEADLINE), lambda: None)

        def expired() -> None:
            if not entry.done:
                lift()
                expire()

        def lift() -> None:
            entry.done = True
            cancel_timer()
            self._running.pop(entry.number or 0, None)

        entry.expire = expired
        cancel_timer = self.scheduler.at(self.scheduler.time + seconds, expired)
        self._deadlines.append(entry)
        return lift

    def flush(self) -> None:
        """Send what was registered as one batch, with the deadlines and withdrawals of the meantime."""
        batch, self._registered = self._registered, []
        for pending in batch:
            self._numbers += 1
            pending.handle.number = pending.request["call"] = self._numbers
            self._sent[self._numbers] = pending
        withdrawn, self._withdrawn = self._withdrawn, []
        deadlines = self._start_deadlines() if self._sent else []
        if batch or withdrawn or deadlines:
            requests = [pending.request for pending in batch]
            self._send_batch({"type": "calls", "requests": requests, "deadlines": deadlines, "withdrawn": withdrawn})

    def take(self) -> None:
        """Wait for one message of the host, and settle what it answers."""
        if self.paced:
            self.wire.send({"type": "waiting"})
        message = self.wire.receive()
        if message.get("type") == "expired":
            deadline = self._running.pop(cast("int", message["deadline"]), None)
            if deadline is not None:
                deadline.expire()
            return
        pending = self._sent.pop(cast("int", message["call"]), None)
        if pending is not None:
            self._settle(pending, message)

    def check_memory(self) -> None:
        """End the program if a sixteenth of its memory cannot be mapped any more; nothing is touched."""
        try:
            mmap.mmap(-1, self.limits.memory_bytes // 16, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
        except (OSError, MemoryError):
            self.stop("memory", self.limits.memory_bytes, "the program used too much memory")

    def _send_batch(self, frame: Frame) -> None:
        try:
            self.wire.send(frame)
        except ValueError as error:
            self.stop("frame", self.limits.frame_bytes, f"the calls of one batch are too large: {error}")

    def _start_deadlines(self) -> list[Frame]:
        started = []
        for deadline in self._deadlines:
            if not deadline.done:
                self._numbers += 1
                deadline.number = self._numbers
                self._running[deadline.number] = deadline
                started.append(cast("Frame", {"deadline": deadline.number, "seconds": deadline.seconds}))
        self._deadlines.clear()
        return started

    def _settle(self, pending: _Pending, message: Frame) -> None:
        failure = message.get("failure")
        if isinstance(failure, dict):
            settle(pending.handle, error=self.failure(failure["kind"], failure["message"]))
            return
        try:
            value = pending.build(from_reply(message.get("value"), cast("int", message["call"])))
        except Exception as error:  # noqa: BLE001 - a class of the program refused its own reply
            settle(pending.handle, error=error)
        else:
            settle(pending.handle, value)

    def failure(self, kind: str | None, message: str) -> Exception:
        """An exception of the contract's tree, or one of Python's; an unknown name is a plain RuntimeError."""
        name = kind or ""
        return (self.failures.get(name) or _PYTHONS.get(name) or RuntimeError)(message)

    def _withdraw(self, pending: _Pending) -> None:
        if pending in self._registered:
            self._registered.remove(pending)
        elif pending.handle.number in self._sent:
            del self._sent[pending.handle.number]
            self._withdrawn.append(pending.handle.number)
        settle(pending.handle, error=self.cancelled_error("the call was cancelled"))


def host_function(
    spec: Function, contract: Contract, calls: Calls, plain: Callable[[], Plain]
) -> Callable[..., object]:
    """The callable that a program sees for `spec`."""

    def call(*args: object, **kwargs: object) -> object:
        bound = _bind(spec, args, kwargs)
        shape_parameter = next((p for p in spec.parameters if p.kind == "shape"), None)
        returns = bound.get(shape_parameter.name, str) if shape_parameter else object
        shape = shapes.describe(str if returns is None else returns)
        _check_choices(spec, contract, calls, bound)
        handle = Handle(calls.scheduler, shapes.keys(shape))
        request: Frame = {"function": spec.name, "line": program_line()}
        if shape_parameter is not None:
            bound[shape_parameter.name] = shape
        build = shapes.builder(returns)
        if any(_pending(value) for value in bound.values()):
            held = {name: _snapshot(value) for name, value in bound.items()}
            calls.scheduler.spawn(lambda: _send_when_ready(spec, contract, calls, plain, handle, request, held, build))
        else:
            _send(spec, calls, plain, handle, request, bound, build)
        return handle if spec.gives == "handle" else wait(handle)

    call.__name__ = call.__qualname__ = spec.name
    return call


def program_line() -> int | None:
    """The line of the program that is running."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename == PROGRAM_FILE:
            return frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _send_when_ready(
    spec: Function, contract: Contract, calls: Calls, plain: Callable[[], Plain],
    handle: Handle, request: Frame, bound: dict[str, object], build: Callable[[object], object],
) -> None:  # fmt: skip
    try:
        _send(spec, calls, plain, handle, request, bound, build)
    except Exception as error:  # noqa: BLE001 - it belongs to whoever uses the handle
        upstream = f"upstream: an input of this call failed: {type(error).__name__}: {error_text(error)}"
        settle(handle, error=calls.failure(contract.upstream, upstream))


def _send(
    spec: Function, calls: Calls, plain: Callable[[], Plain],
    handle: Handle, request: Frame, bound: dict[str, object], build: Callable[[object], object],
) -> None:  # fmt: skip
    arguments: dict[str, object] = {}
    sources: list[object] = []
    for parameter in spec.parameters:
        if parameter.name in bound:
            converter = plain()
            arguments[parameter.name] = _argument(parameter, bound[parameter.name], converter, calls)
            sources += [{"argument": parameter.name, "path": list(p), "call": c} for p, c in converter.sources]
    if settled(handle):  # cancelled while it waited for its inputs
        return
    request["arguments"], request["sources"] = arguments, sources
    request["branch"] = calls.scheduler.current.path
    calls.register(handle, request, build)


def _argument(parameter: Parameter, value: object, converter: Plain, calls: Calls) -> object:
    if parameter.kind == "shape":
        return value
    try:
        data = converter.convert(value)
    except NotPlain as error:
        raise TypeError(f"{parameter.name}: {error}") from None
    if parameter.kind == "text" and data is not None:
        text = data if isinstance(data, str) else exact_text(data if isinstance(value, Deferred) else value)
        if len(text.encode()) > calls.limits.instruction_bytes:
            message = f"{parameter.name} is longer than {calls.limits.instruction_bytes} bytes; pass less text"
            calls.stop("frame", calls.limits.instruction_bytes, message)
        return text
    return data


def _bind(spec: Function, args: tuple[object, ...], kwargs: dict[str, object]) -> dict[str, object]:
    positional = [parameter for parameter in spec.parameters if not parameter.keyword_only]
    if len(args) > len(positional):
        names = ", ".join(parameter.name for parameter in positional)
        rest = ", ".join(f"{parameter.name}=" for parameter in spec.parameters if parameter.keyword_only)
        raise TypeError(f"{spec.name}() takes ({names}) by position; name the others: {rest}")
    bound = {parameter.name: value for parameter, value in zip(positional, args, strict=False)}
    known = [parameter.name for parameter in spec.parameters]
    for name, value in kwargs.items():
        if name not in known:
            raise TypeError(f"{spec.name}() has no argument {name!r}; it takes {', '.join(known)}")
        if name in bound:
            raise TypeError(f"{spec.name}() got {name!r} twice")
        bound[name] = value
    missing = [p.name for p in spec.parameters if p.required and p.name not in bound]
    if missing:
        raise TypeError(f"{spec.name}() needs {', '.join(missing)}")
    return bound


def _check_choices(spec: Function, contract: Contract, calls: Calls, bound: dict[str, object]) -> None:
    for parameter in spec.parameters:
        if parameter.kind != "choice" or parameter.name not in bound:
            continue
        chosen = bound[parameter.name] = exact_text(resolve(bound[parameter.name]))
        if chosen not in parameter.choices and chosen not in parameter.withheld:
            close = difflib.get_close_matches(chosen, parameter.choices, 1)
            meant = f"; did you mean {close[0]!r}?" if close else ""
            known = ", ".join(parameter.choices)
            raise calls.failure(contract.unknown_choice, f"no {parameter.name} {chosen!r}{meant} There are: {known}")


def _pending(value: object, depth: int = 0) -> bool:
    """Whether a handle without a value is somewhere in `value`."""
    if isinstance(value, Deferred):
        return not settled(value) or isinstance(value, Coroutine)
    if depth > 8:
        return False
    if isinstance(value, dict):
        return any(_pending(item, depth + 1) for item in value.values())
    if isinstance(value, (list, tuple)):
        return any(_pending(item, depth + 1) for item in value)
    return False


def _snapshot(value: object) -> object:
    """A copy of the containers, so that later changes by the program do not reach a call that still waits."""
    if type(value) is dict:
        return {key: _snapshot(item) for key, item in value.items()}
    if type(value) is list:
        return [_snapshot(item) for item in value]
    if type(value) is tuple:
        return tuple(_snapshot(item) for item in value)
    return value
