"""The past of a run that goes on from another one: what of it stays as it was, and what is done again.

Turns that are over stay: their events are read, nobody is asked, nothing runs. The last message of the main agent is acted
upon again: its program runs from the first line, and is served what its calls had brought (see `recording`). So what was
paid for is never paid again, and a run that was cut off goes on from the very message at which it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dynaflow.errors import JournalError
from dynaflow.events import (
    Answered,
    CallFinished,
    CallStarted,
    Event,
    GrantDecided,
    ModelCalled,
    Parent,
    ProgramChecked,
    Reason,
    RunFinished,
    RunStarted,
    TurnStarted,
    WorkflowFinished,
    WorkflowStarted,
)
from dynaflow.recording import NO_CHANGE, Change, Recording
from subagents import Message

NOTHING_SAID = "(nothing that can be used)"
"""Stands in the conversation for a message that was blank, refused or cut off."""


@dataclass(frozen=True, slots=True)
class Past:
    """What a run goes on from."""

    parent: Parent
    events: tuple[Event, ...]
    """What stays, without `RunStarted`."""
    spoken: ModelCalled | None
    """The message that is acted upon again; None where there is none, as in the run of a program written by hand."""
    recording: Recording
    """What the workflow of that message was sent."""
    program: str | None
    """To be run in the place of what the message says; always there where nothing was said."""
    seconds: float
    """How long the kept turns took."""
    decided: tuple[GrantDecided, ...] = ()
    """What had been decided until then about things that the policy holds back."""

    @property
    def last_turn(self) -> int:
        """The last turn in which the main agent had spoken; 0 for none."""
        return self.spoken.turn if self.spoken is not None else 0

    @property
    def unchanged(self) -> bool:
        """Whether the program has to ask what it asked before."""
        return self.parent.why != "whatif"


def past_of(
    run: str, why: Reason, events: Sequence[Event], change: Change = NO_CHANGE, program: str | None = None
) -> Past:
    """The past that the events of a run are for another one.

    program: to be run in the place of the last one. Raises `JournalError` if the run did not get as far as that.
    """
    started = events[0]
    assert isinstance(started, RunStarted), "a run begins with its start"
    spoken = next((event for event in reversed(events) if isinstance(event, ModelCalled)), None)
    kept = 1 if spoken is None else events.index(spoken) + 1
    turn = 1 if spoken is None else spoken.turn
    rest = [event for event in events[kept:] if not isinstance(event, (Answered, RunFinished))]
    if program is None and spoken is None:
        program = next((event.program for event in rest if isinstance(event, (ProgramChecked, WorkflowStarted))), None)
    return Past(
        Parent(run=run, kept=kept, why=why, now=started.parent.now if started.parent else started.at),
        tuple(events[1:kept]), spoken, Recording(run, turn, rest, change), program, _seconds(events[:kept]),
        tuple(event for event in events if isinstance(event, GrantDecided)),
    )  # fmt: skip


def conversation(events: Sequence[Event]) -> Iterator[Message]:
    """What was said to the main agent and by it."""
    for event in events:
        if isinstance(event, TurnStarted):
            yield from event.messages
        elif isinstance(event, ModelCalled):
            said_something = event.text.strip() or event.tool_requests
            text = event.text if said_something else NOTHING_SAID
            yield Message(role="assistant", content=text, tool_requests=event.tool_requests)


def before_turn(events: Sequence[Event], turn: int) -> list[Event]:
    """The events before a turn began. Raises `JournalError` if it never did."""
    for number, event in enumerate(events):
        if isinstance(event, TurnStarted) and event.turn == turn:
            return list(events[:number])
    raise JournalError(f"there is no turn {turn} in that run: `dynaflow show` lists its turns")


def before_call(events: Sequence[Event], turn: int, call: int) -> list[Event]:
    """The events before a call was answered, so that it and what came of it are asked for again."""
    for number, event in enumerate(events):
        if isinstance(event, CallFinished) and (event.turn, event.call) == (turn, call):
            return list(events[:number])
    if any(isinstance(event, CallStarted) and (event.turn, event.call) == (turn, call) for event in events):
        return list(events)
    raise JournalError(f"there is no call {call} in turn {turn} of that run: `dynaflow show` lists its calls")


def _seconds(events: Sequence[Event]) -> float:
    return sum(event.seconds for event in events if isinstance(event, (ModelCalled, WorkflowFinished)))
