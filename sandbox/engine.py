"""The engine: one zygote, one forked child per program, and the host's side of the conversation.

`open_sandbox` starts the zygote and gives a `ZygoteSandbox`. For each program the host takes a child that was forked
ahead, sends it the work, and serves its frames until it reports its end or dies. The host never parses a program, and
believes nothing that a child says: every frame is checked, and one that makes no sense ends the program with `ProtocolError`.
A zygote that dies takes its programs along, which is said, and is replaced when the next program comes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.abc

from sandbox.children import KILLING, STOPPING, Child, Zygote
from sandbox.contract import Contract, Finding
from sandbox.errors import OperatorError, ProtocolError, SandboxUnavailable, WorkflowError
from sandbox.frames import Frame
from sandbox.groups import only
from sandbox.level import DEFAULT_MINIMUM
from sandbox.limits import Limits, too_long
from sandbox.protocol import Door, Level, Outcome, Setting, Usage
from sandbox.session import Session, cause_of_death
from sandbox.work import Work, to_frame

_CHECK_LIMITS = Limits(cpu_seconds=2.0, wall_seconds=20.0)


@asynccontextmanager
async def open_sandbox(minimum: Level = DEFAULT_MINIMUM) -> AsyncIterator[ZygoteSandbox]:
    """A sandbox of at least the `minimum` isolation level.

    Raises `SandboxUnavailable` if that level cannot be reached here; it never falls back to a lower one.
    """
    try:
        async with anyio.create_task_group() as group:
            sandbox = ZygoteSandbox(group, minimum)
            try:
                await sandbox.start()
                yield sandbox
            finally:
                await sandbox.aclose()
                group.cancel_scope.cancel()
    except BaseExceptionGroup as several:
        raise only(several) from None


class ZygoteSandbox:
    """A `Sandbox` of warm forks. Made by `open_sandbox`."""

    def __init__(self, group: anyio.abc.TaskGroup, minimum: Level) -> None:
        self._group = group
        self._minimum = minimum
        self._level: Level = 0
        self._zygote: Zygote | None = None
        self._starting = anyio.Lock(fast_acquire=True)

    @property
    def level(self) -> Level:
        return self._level

    async def start(self) -> Zygote:
        """The zygote: the living one, or a new one. Raises `SandboxUnavailable` if it does not reach the minimum."""
        async with self._starting:
            if self._zygote is None or self._zygote.gone:
                await self.aclose()
                zygote = self._zygote = await Zygote.start(self._group)
                await zygote.ready()
                if zygote.reached.level < self._minimum:
                    found, reasons = zygote.reached.level, "; ".join(zygote.reached.reasons)
                    raise SandboxUnavailable(
                        f"isolation level {self._minimum} is demanded and {found} is reached: {reasons}"
                    )
                self._level = zygote.reached.level
                await zygote.fork_ahead()
            return self._zygote

    async def check(self, program: str, contract: Contract, limits: Limits = _CHECK_LIMITS) -> list[Finding]:
        """What is wrong with the program as far as can be told without running it."""
        long = too_long(program, limits)
        if long is not None:
            return [_as_finding(long)]
        async with self._child() as (zygote, child):
            await child.send(to_frame("check", Work(program, contract, limits)))
            with anyio.move_on_after(limits.wall_seconds):
                frame = await child.receive(limits.frame_bytes)
                if frame is not None:
                    return _findings(frame)
            ended = await zygote.await_end(child)
            error = cause_of_death(ended, child.dump(), program, limits)
            if isinstance(error, OperatorError):
                raise error
            return [_as_finding(error)]

    async def run(
        self, program: str, contract: Contract, door: Door, *, limits: Limits = Limits(), setting: Setting = Setting()
    ) -> Outcome:
        """Run the program to its end. Raises `OperatorError` only, with its usage; the program's faults are in the outcome."""
        long = too_long(program, limits)
        if long is not None:
            return Outcome(None, "", long, Usage())
        async with self._child() as (zygote, child):
            session = Session(child, door, program, contract, limits)
            try:
                await child.send(to_frame("run", Work(program, contract, limits, setting)))
                await session.serve()
                if session.reported:
                    return session.outcome()
                ended = await (zygote.await_end(child, STOPPING) if session.timed_out else zygote.await_end(child))
                return session.outcome(ended)
            except OperatorError as error:
                error.usage = session.measured(await zygote.await_end(child, KILLING))
                raise

    async def aclose(self) -> None:
        """End every process; leaving `open_sandbox` does the same."""
        if self._zygote is not None:
            await self._zygote.aclose()
            self._zygote = None

    @asynccontextmanager
    async def _child(self) -> AsyncIterator[tuple[Zygote, Child]]:
        zygote = await self.start()
        async with zygote.child() as child:
            self._group.start_soon(zygote.make_up)
            yield zygote, child


def _as_finding(error: WorkflowError) -> Finding:
    return Finding("syntax", str(error), error.line or 1, 0, error.source_line or "", error.hint)


def _findings(frame: Frame) -> list[Finding]:
    found = frame.get("findings")
    if frame.get("type") != "findings" or not isinstance(found, list):
        raise ProtocolError(f"a check answered with {frame.get('type')!r}")
    try:
        return [Finding(**finding) for finding in found]
    except TypeError as error:
        raise ProtocolError(f"a finding has wrong fields: {error}") from None
