"""Runs that go on from another run: after a crash, from an earlier point, or with something changed.

Each makes a run of its own, which points at its parent. What the parent had paid for is served from the journal: finished
turns are read, the calls of the workflow that runs again are answered in their recorded order, and only what is new, or
depends on what was changed, goes out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pydantic import JsonValue, ValidationError

from dynaflow.errors import SettingError
from dynaflow.events import (
    Budget,
    CallFinished,
    CallStarted,
    Event,
    ModelCalled,
    RunFinished,
    RunStarted,
    WorkflowStarted,
)
from dynaflow.journal import Journal
from dynaflow.past import Past, before_call, before_turn, past_of
from dynaflow.recorder import Recorder
from dynaflow.recording import Change
from dynaflow.run import Plan, Run
from dynaflow.solving import Drive, Result, events_of, result_of
from dynaflow.staffing import House, open_house
from subagents import Corpus, Endpoints, Pool, TokenUsage
from subagents.shapes import is_text, parse_shape, validated

UNAVAILABLE = "unavailable"
"""What stands in the place of a reply that is taken away, where text was asked for."""
Observe = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class CallPlace:
    """A call of a run: `TURN.CALL`, or the number of a call of its last workflow."""

    call: int
    turn: int | None = None

    @classmethod
    def read(cls, text: str) -> CallPlace:
        """Raises `SettingError` for what is neither."""
        turn, dot, call = text.strip().rpartition(".")
        if not call.isdecimal() or (dot and not turn.isdecimal()):
            raise SettingError(f"{text!r} is no call: write its number, or TURN.CALL, as `dynaflow show` numbers them")
        return cls(int(call), int(turn) if dot else None)


async def resume(
    run: str,
    *,
    journal: Journal,
    budget: Budget | None = None,
    corpus: Path | Corpus | None = None,
    endpoints: Endpoints | None = None,
    observe: Observe | None = None,
) -> Result:
    """Go on with a run that was cut off, or ended without an answer.

    budget: another one than the run had; calls of the last workflow that the old one refused then go out.
    corpus: where the run had passages that were given in Python. Raises `SettingError` if there is nothing to go on with.
    """
    events = journal.events(journal.find(run))
    end = next((event for event in events if isinstance(event, RunFinished)), None)
    if end is not None and end.answer is not None:
        raise SettingError(
            f"run {run!r} has its answer: `dynaflow whatif` goes another way from it, `rollback` goes back"
        )
    past = past_of(journal.find(run), "resume", events, Change(more_budget=budget is not None))
    return await _go_on(past, events, journal, budget, corpus, endpoints, observe)


async def rollback(
    run: str,
    *,
    journal: Journal,
    turn: int,
    call: int | None = None,
    seed: int | None = None,
    budget: Budget | None = None,
    corpus: Path | Corpus | None = None,
    endpoints: Endpoints | None = None,
    observe: Observe | None = None,
) -> Result:
    """Go back to before a turn of the main agent, or to before the reply of a call, and on from there.

    seed: of the new run; None is the old one's plus one, so that what is asked again may be answered differently.
    """
    events = journal.events(journal.find(run))
    kept = before_turn(events, turn) if call is None else before_call(events, turn, call)
    past = past_of(journal.find(run), "rollback", kept)
    new = _started(events).seed + 1 if seed is None else seed
    return await _go_on(past, events, journal, budget, corpus, endpoints, observe, seed=new)


async def whatif(
    run: str,
    *,
    journal: Journal,
    turn: int | None = None,
    program: str | None = None,
    without: Sequence[int] = (),
    replies: Mapping[int, str] = {},
    budget: Budget | None = None,
    corpus: Path | Corpus | None = None,
    endpoints: Endpoints | None = None,
    observe: Observe | None = None,
) -> Result:
    """Run a workflow again with something changed: its program, calls that bring nothing, or other replies.

    turn: None is the last one with a workflow. without: calls whose reply is taken away: `unavailable` stands in its place
    where text was asked for, else the call fails as `AgentUnavailable`. replies: call -> its reply, as text or JSON.
    Raises `SettingError` for a turn without a workflow, a call that is not there, a reply that does not fit its shape.
    """
    if program is None and not without and not replies:
        raise SettingError("nothing is changed: give --program, --without or --reply")
    events = journal.events(journal.find(run))
    turns = [event.turn for event in events if isinstance(event, WorkflowStarted)]
    chosen = turn if turn is not None else max(turns, default=0)
    if chosen not in turns:
        raise SettingError(f"no program ran in turn {chosen} of run {run!r}: `dynaflow show {run}` lists its turns")
    workflow = _until_next_message(events, chosen)
    change = Change(replies=_replaced(workflow, chosen, without, replies))
    past = past_of(journal.find(run), "whatif", workflow, change, program)
    return await _go_on(past, events, journal, budget, corpus, endpoints, observe)


async def _go_on(
    past: Past,
    events: Sequence[Event],
    journal: Journal,
    budget: Budget | None,
    corpus: Path | Corpus | None,
    endpoints: Endpoints | None,
    observe: Observe | None,
    *,
    seed: int | None = None,
) -> Result:
    started = _started(events)
    setup = started.setup
    if setup is None:
        raise SettingError(f"run {past.parent.run!r} was recorded before runs could go on: start a new one")
    by_hand = not started.has_main_agent
    if by_hand and past.program is None:
        raise SettingError(f"run {past.parent.run!r} was cut off before its program was checked: run it again")
    house = open_house(
        started.task, model=None if by_hand else started.model, agent_model=setup.agent_model, pool=Pool.of(setup.pool),
        corpus=corpus or (Path(setup.corpus) if setup.corpus else None), endpoints=endpoints,
        policy=setup.policy,
    )  # fmt: skip
    plan = Plan(
        started.task, started.mode, budget or started.budget, started.seed if seed is None else seed, setup, past=past
    )

    def make(opened: House, recorder: Recorder) -> Drive:
        run = Run(plan, opened, recorder)
        return (lambda: run.drive_program(cast("str", past.program))) if by_hand else run.drive

    return await result_of(events_of(house, journal, make), observe)


def _started(events: Sequence[Event]) -> RunStarted:
    first = events[0]
    assert isinstance(first, RunStarted), "a run begins with its start"
    return first


def _until_next_message(events: Sequence[Event], turn: int) -> list[Event]:
    """The events up to the end of a turn's workflow."""
    later = (n for n, event in enumerate(events) if isinstance(event, ModelCalled) and event.turn > turn)
    return list(events[: next(later, len(events))])


def _replaced(
    events: Sequence[Event], turn: int, without: Sequence[int], replies: Mapping[int, str]
) -> dict[int, CallFinished]:
    started = {event.call: event for event in events if isinstance(event, CallStarted) and event.turn == turn}
    finished = {event.call: event for event in events if isinstance(event, CallFinished) and event.turn == turn}
    for call in (*without, *replies):
        if call not in finished or finished[call].order is None:
            there = ", ".join(map(str, sorted(n for n, event in finished.items() if event.order is not None))) or "none"
            raise SettingError(f"turn {turn} has no call {call} that was answered; there are: {there}")
    taken = {call: _taken_away(started[call], finished[call]) for call in without}
    return taken | {call: _with_reply(started[call], finished[call], text) for call, text in replies.items()}


def _taken_away(started: CallStarted, finished: CallFinished) -> CallFinished:
    if _wants_text(started):
        return _changed(finished, UNAVAILABLE, UNAVAILABLE)
    fields = {"status": "failed", "value": None, "text": "", "failure": "AgentUnavailable", "message": "taken away"}
    return finished.model_copy(update={**fields, "usage": TokenUsage()})


def _with_reply(started: CallStarted, finished: CallFinished, text: str) -> CallFinished:
    if _wants_text(started):
        return _changed(finished, text, text)
    try:
        return _changed(finished, validated(json.loads(text), parse_shape(started.shape)), text)
    except (ValueError, ValidationError) as error:
        raise SettingError(
            f"the reply for call {started.call} does not fit its shape {started.shape}: {error}"
        ) from None


def _wants_text(started: CallStarted) -> bool:
    return started.shape is None or is_text(parse_shape(started.shape))


def _changed(finished: CallFinished, value: JsonValue, text: str) -> CallFinished:
    fields = {"status": "delivered", "value": value, "text": text, "failure": None, "message": None}
    return finished.model_copy(update={**fields, "usage": TokenUsage()})
