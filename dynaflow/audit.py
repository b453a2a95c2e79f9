"""The audit: one record of each program that a sandbox has run, whoever wrote it and however it ended.

`audited` runs a program and writes its record: what it was allowed, what it used, what it was refused, and what it died of.
The programs that sub-agents write run deep inside a call, in a tool that knows neither run nor turn. So Flow says for
each call where it is (`inside_call`), and the tool asks (`current_call`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from typing import Protocol

import anyio

from dynaflow.events import CallFinished, Event, GrantDecided, PolicyRecord, ProgramAudited, SystemCall
from dynaflow.policies import Policy
from sandbox import Limits, Outcome, Usage
from sandbox.errors import LimitExceeded, OperatorError, SandboxViolation, WorkflowError

REFUSALS = frozenset({"NotGranted", "BudgetExceeded", "RepeatedCall"})
"""Failures of calls that the host refused."""


class Emit(Protocol):
    """Takes an event into the run's stream and journal."""

    async def __call__(self, event: Event, *, awaited: bool = True) -> None: ...


@dataclass(frozen=True, slots=True)
class Subject:
    """Which program it is, and what it may do. call: the call in which a sub-agent's program runs."""

    author: str
    turn: int
    level: int
    policy: Policy
    limits: Limits
    call: int | None = None


@dataclass(frozen=True, slots=True)
class CallPlace:
    """Where a program of a sub-agent runs, and where its record goes."""

    turn: int
    call: int
    emit: Emit


async def audited(
    run: Callable[[], Awaitable[Outcome]], subject: Subject, emit: Emit, events: Sequence[Event] = ()
) -> Outcome:
    """Run a program, and write its record whatever becomes of it. Raises what `run` raises.

    events: of the run; those of the program's turn tell what was decided about it and what it was refused.
    """
    started = time.monotonic()
    try:
        outcome = await run()
    except OperatorError as error:
        usage = error.usage or Usage(wall_seconds=time.monotonic() - started)
        await emit(_record(subject, usage, events, type(error).__name__, str(error), _system_call(error)))
        raise
    except BaseException:
        usage = Usage(wall_seconds=time.monotonic() - started)
        with anyio.CancelScope(shield=True):
            await emit(_record(subject, usage, events, "interrupted", "the run ended before the program did"))
        raise
    cause, detail = ("finished", None) if outcome.error is None else (_kind(outcome.error), outcome.error.message)
    await emit(_record(subject, outcome.usage, events, cause, detail))
    return outcome


@contextmanager
def inside_call(turn: int, call: int, emit: Emit) -> Iterator[None]:
    """What runs in this block, also in tasks that it starts, belongs to this call."""
    token = _CALL.set(CallPlace(turn, call, emit))
    try:
        yield
    finally:
        _CALL.reset(token)


def current_call() -> CallPlace | None:
    """The call in which the asking code runs."""
    return _CALL.get()


_CALL: ContextVar[CallPlace | None] = ContextVar("dynaflow_call", default=None)


def _record(
    subject: Subject,
    usage: Usage,
    events: Sequence[Event],
    cause: str,
    detail: str | None,
    alert: SystemCall | None = None,
) -> ProgramAudited:
    decided = [e for e in events if isinstance(e, GrantDecided) and e.turn == subject.turn]
    refused = [e.failure for e in events if isinstance(e, CallFinished) and e.turn == subject.turn]
    return ProgramAudited(
        turn=subject.turn, call=subject.call, author=subject.author, isolation_level=subject.level,
        policy=PolicyRecord(agents=subject.policy.agents or (), modules=subject.policy.modules or ()),
        limits=asdict(subject.limits), granted=tuple(_named(e) for e in decided if e.granted),
        not_granted=tuple(_named(e) for e in decided if not e.granted),
        refusals=dict(Counter(failure for failure in refused if failure in REFUSALS)),
        cause=cause, detail=detail, alert=alert, **asdict(usage),
    )  # fmt: skip


def _named(decided: GrantDecided) -> str:
    return f"{decided.kind} {decided.name}"


def _kind(error: WorkflowError) -> str:
    return f"{error.kind}: {error.limit}" if isinstance(error, LimitExceeded) else error.kind


def _system_call(error: OperatorError) -> SystemCall | None:
    return SystemCall(number=error.number, name=error.call) if isinstance(error, SandboxViolation) else None
