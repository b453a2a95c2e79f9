"""What a workflow was sent when it ran, so that it can be sent again: the replies of its calls, and their order.

A program is a function of what it is sent and of the order of it. A `Recording` holds the finished calls of one workflow
by their keys; equal keys are told apart by branch, then by order. A `Pace` lets what returns to a program pass one at a
time, each when the program waits: first what is recorded, in the recorded order, then the rest as it comes. So an unchanged
program goes the way that it went, and a changed one as far along it as it can.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import anyio

from dynaflow.errors import ReplayDivergence
from dynaflow.events import (
    ArtifactRecalled,
    ArtifactShared,
    CallFinished,
    CallStarted,
    DeadlinePassed,
    Event,
    ModelSwitched,
    ReplyRepaired,
    ToolCalled,
)

Step = ModelSwitched | ReplyRepaired | ToolCalled


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call that was answered: how it was asked, what happened inside it (but for its requests), and its end."""

    started: CallStarted
    steps: tuple[Step, ...]
    finished: CallFinished


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be otherwise this time.

    replies: put in the place of others, by the numbers of their calls.
    more_budget: what a limit of the budget refused may go out.
    """

    replies: Mapping[int, CallFinished] = field(default_factory=dict)
    more_budget: bool = False


NO_CHANGE = Change()


class Recording:
    """What the workflow of one turn was sent."""

    def __init__(self, run: str, turn: int, events: Sequence[Event], change: Change = NO_CHANGE) -> None:
        self.run = run
        self.turn = turn
        own = [event for event in events if getattr(event, "turn", None) == turn]
        self._calls = _by_key(own, change)
        same = own[: _parting(own)] if change.more_budget else own
        self._started = {event.call: event for event in same if isinstance(event, CallStarted)}
        self._board = {
            event.call: event.order for event in same if isinstance(event, (ArtifactShared, ArtifactRecalled))
        }
        self._deadlines = {event.deadline: event.order for event in same if isinstance(event, DeadlinePassed)}

    def take(self, key: str, branch: str) -> RecordedCall | None:
        """The recorded call of that key, of the same branch if there is one. Each is given out once."""
        calls = self._calls.get(key, [])
        if not calls:
            return None
        found = next((call for call in calls if call.started.branch == branch), calls[0])
        calls.remove(found)
        return found

    def check(self, call: int, key: str) -> None:
        """Raise `ReplayDivergence` if this call was another one when the same program ran."""
        recorded = self._started.get(call)
        if recorded is not None and recorded.key != key:
            raise ReplayDivergence(
                f"call {call} of turn {self.turn} is not what it was in run {self.run!r}, where it asked "
                f"{recorded.agent!r}: {recorded.instruction[:80]!r}; the pool, its corpora or DynaFlow have changed since. "
                f"Start a new run, or `dynaflow whatif` to go another way on purpose"
            )

    def board_order(self, call: int) -> int | None:
        """When this use of the board returned."""
        return self._board.get(call)

    def deadline_order(self, number: int) -> int | None:
        """When this time limit of the program was over, if it was."""
        return self._deadlines.get(number)


@dataclass(slots=True)
class _Held:
    call: int | None
    """None for a time limit, which is never taken back."""
    gate: anyio.Event = field(default_factory=anyio.Event)


class Pace:
    """Lets what returns to a program pass, one at a time."""

    def __init__(self) -> None:
        self._recorded: dict[int, _Held] = {}
        self._fresh: deque[_Held] = deque()
        self._idle = False

    def hold(self, order: int, call: int | None) -> anyio.Event:
        """Hold back what is recorded; the event is set when it is its turn."""
        held = self._recorded[order] = _Held(call)
        return held.gate

    async def queue(self, call: int | None) -> None:
        """Wait until something that is not recorded may pass."""
        held = _Held(call)
        self._fresh.append(held)
        if self._idle:
            self._let_go(self._fresh.pop())
        await held.gate.wait()

    def waiting(self, outstanding: Collection[int]) -> None:
        """The program waits: let the next one pass, or whatever comes first."""
        ready = [order for order, held in self._recorded.items() if held.call is None or held.call in outstanding]
        if ready:
            self._let_go(self._recorded.pop(min(ready)))
            return
        while self._fresh:
            held = self._fresh.popleft()
            if held.call is None or held.call in outstanding:
                self._let_go(held)
                return
        self._idle = True

    def _let_go(self, held: _Held) -> None:
        self._idle = False
        held.gate.set()


def _parting(events: Sequence[Event]) -> int:
    """How many events there are before the first refusal of the budget; without it the program may go another way."""
    return next((number for number, event in enumerate(events) if _refused(event)), len(events))


def _refused(event: Event) -> bool:
    return isinstance(event, CallFinished) and event.failure == "BudgetExceeded"


def _by_key(events: Sequence[Event], change: Change) -> dict[str, list[RecordedCall]]:
    started = {event.call: event for event in events if isinstance(event, CallStarted)}
    steps: dict[int, list[Step]] = {}
    calls: dict[str, list[RecordedCall]] = {}
    for event in events:
        if isinstance(event, Step):
            steps.setdefault(event.call, []).append(event)
        elif isinstance(event, CallFinished) and event.order is not None:
            if change.more_budget and _refused(event):
                continue
            begun = started[event.call]
            finished = change.replies.get(event.call, event)
            calls.setdefault(begun.key, []).append(RecordedCall(begun, tuple(steps.get(event.call, ())), finished))
    return calls
