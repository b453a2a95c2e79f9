"""Loops: the same thing again, without anything new to go on. Each kind is found, named, told once, and then stopped.

A call is repeated when its very key is asked again after a reply to it had been delivered: in the same workflow, or in
a later one. Equal calls that leave together are a vote, and count once. From `REPEATS_NOTED` repeats on the main agent
is told in the feedback; more than `REPEATS_ALLOWED` fail as `RepeatedCall`, without being sent. (So many, because a vote
of five that is taken one by one, to stop as soon as it is clear, repeats four times; and because a mended program asks
again what the broken one had asked.)

A main agent repeats itself when it sends a program again that has had its end; a chain of agents, when one hands over to
another what it had handed over before, word for word. (A program that waits for nothing is found in the sandbox.)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dynaflow.events import CallFinished, Event, ProgramChecked, WorkflowFinished, WorkflowStarted

REPEATS_NOTED = 2
REPEATS_ALLOWED = 4
REPEATED_CALL = "RepeatedCall"
"""The failure of a call that was repeated too often."""
_MAY_PASS = frozenset({"AgentUnavailable", "CallTimeout"})
"""Failures of calls after which the same program may end differently."""


class RepeatWatch:
    """Counts how often the calls of a run were repeated, by their keys."""

    def __init__(self) -> None:
        self._delivered: defaultdict[str, set[int]] = defaultdict(set)
        self._inside: Counter[tuple[int, str]] = Counter()
        self._later: defaultdict[str, set[int]] = defaultdict(set)

    def asked(self, workflow: int, keys: Iterable[str]) -> dict[str, int]:
        """How often each key of a batch is repeated, this time included; 0 is no repeat."""
        return {key: self._repeats(workflow, key) for key in set(keys)}

    def delivered(self, workflow: int, key: str) -> None:
        """A reply went to the program."""
        self._delivered[key].add(workflow)

    def _repeats(self, workflow: int, key: str) -> int:
        """The larger of two counts: batches of this workflow, and later workflows that asked again what one had been told."""
        there = self._delivered.get(key, set())
        if workflow in there:
            self._inside[workflow, key] += 1
        if there - {workflow}:
            self._later[key].add(workflow)
        return max(self._inside[workflow, key], len(self._later.get(key, ())))


def repeated_message(repeats: int) -> str:
    """Why a repeated call is not sent, for the program."""
    return (
        f"this very call has been asked for again {repeats} times although its reply was there, which tells nothing new: "
        "use a reply that came, or change the instruction or the inputs"
    )


class ProgramWatch:
    """Programs of which the main agent was told that they are no use again."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def tell(self, program: str) -> bool:
        """Whether this is the first time that it is told; the second time, its run is to stop."""
        first = _bare(program) not in self._told
        self._told.add(_bare(program))
        return first


def earlier_end(program: str, events: Sequence[Event]) -> ProgramChecked | WorkflowFinished | None:
    """How the same program ended before: refused by the check, or run. None if it was not sent, or may end differently now.

    It may where one of its calls failed for a cause that passes.
    """
    bare = _bare(program)
    end: ProgramChecked | WorkflowFinished | None = None
    turns: set[int] = set()
    for event in events:
        if isinstance(event, ProgramChecked) and event.findings and _bare(event.program) == bare:
            end = event
        elif isinstance(event, WorkflowStarted) and _bare(event.program) == bare:
            turns.add(event.turn)
        elif isinstance(event, WorkflowFinished) and event.turn in turns:
            end = None if _failed_in_passing(event, events) else event
    return end


def _failed_in_passing(end: WorkflowFinished, events: Sequence[Event]) -> bool:
    failures = {event.failure for event in events if isinstance(event, CallFinished) and event.turn == end.turn}
    return end.status == "failed" and bool(failures & _MAY_PASS)


def _bare(program: str) -> str:
    return "\n".join(line.rstrip() for line in program.splitlines() if line.strip())


@dataclass(frozen=True, slots=True)
class Handoff:
    """One agent gives the work to another, with these words."""

    giver: str
    taker: str
    words: str


def is_ping_pong(chain: Sequence[Handoff]) -> bool:
    """Whether the last handoff says again, word for word, what its giver had told its taker before: it came back for nothing."""
    return bool(chain) and chain[-1] in chain[:-1]
