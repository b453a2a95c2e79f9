"""A run's events put in order: what happened in each turn, and in each call.

The journal is a flat stream in which the events of parallel calls interleave. Readers for people want them
together; `Story` holds them by turn and call, and takes event after event, so that it serves a run that still
goes on as well as one that was cut off.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dynaflow.events import (
    Answered,
    ArtifactShared,
    CallAttempted,
    CallFinished,
    CallServed,
    CallStarted,
    Event,
    GrantDecided,
    ModelCalled,
    ModelSwitched,
    ProgramChecked,
    ReplyRepaired,
    RunFinished,
    RunStarted,
    ToolCalled,
    TurnStarted,
    WorkflowFinished,
    WorkflowStarted,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(slots=True)
class CallStory:
    """One call; `steps` are its attempts, switches, repairs and tool calls as they came."""

    started: CallStarted
    steps: list[CallAttempted | ModelSwitched | ReplyRepaired | ToolCalled] = field(default_factory=list)
    served: CallServed | None = None
    finished: CallFinished | None = None


@dataclass(slots=True)
class TurnStory:
    """One turn, as far as it went."""

    started: TurnStarted
    model: ModelCalled | None = None
    checked: ProgramChecked | None = None
    workflow: WorkflowStarted | None = None
    calls: dict[int, CallStory] = field(default_factory=dict)
    artifacts: list[ArtifactShared] = field(default_factory=list)
    decided: list[GrantDecided] = field(default_factory=list)
    ended: WorkflowFinished | None = None
    answered: Answered | None = None


@dataclass(slots=True)
class Story:
    """One run. `last` is the latest event that was taken."""

    started: RunStarted | None = None
    turns: dict[int, TurnStory] = field(default_factory=dict)
    finished: RunFinished | None = None
    last: Event | None = None

    @classmethod
    def of(cls, events: Iterable[Event]) -> Story:
        """The story that the events tell."""
        story = cls()
        for event in events:
            story.take(event)
        return story

    def take(self, event: Event) -> None:
        """Put one more event in its place."""
        self.last = event
        match event:
            case RunStarted():
                self.started = event
            case RunFinished():
                self.finished = event
            case TurnStarted():
                self.turns[event.turn] = TurnStory(event)
            case _:
                _take_in_turn(self._turn(event.turn, event.at), event)

    def _turn(self, turn: int, at: float) -> TurnStory:
        """The turn of that number; a program written by hand runs in a turn that no model began."""
        return self.turns.setdefault(turn, TurnStory(TurnStarted(at=at, turn=turn, messages=())))


def _take_in_turn(turn: TurnStory, event: Event) -> None:
    match event:
        case ModelCalled():
            turn.model = event
        case ProgramChecked():
            turn.checked = event
        case WorkflowStarted():
            turn.workflow = event
        case CallStarted():
            turn.calls[event.call] = CallStory(event)
        case CallAttempted() | ModelSwitched() | ReplyRepaired() | ToolCalled() if event.call in turn.calls:
            turn.calls[event.call].steps.append(event)
        case CallServed() if event.call in turn.calls:
            turn.calls[event.call].served = event
        case CallFinished() if event.call in turn.calls:
            turn.calls[event.call].finished = event
        case GrantDecided():
            turn.decided.append(event)
        case ArtifactShared():
            turn.artifacts.append(event)
        case WorkflowFinished():
            turn.ended = event
        case Answered():
            turn.answered = event
