"""Flow: the one door between workflows and sub-agents.

Every call of every workflow, generated or written by a person, passes here, and only here live budgets, journal
events, the seeds of equal calls, and the watch for calls that repeat themselves. `door` gives what the sandbox sees of
it for one workflow (see `doors` and `calls`); with a recording, what had been answered before is served from it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Protocol

from dynaflow.board import Board
from dynaflow.budgets import Amount, Scope
from dynaflow.cache import Cache
from dynaflow.calls import NEVER_SENT
from dynaflow.doors import WorkflowDoor
from dynaflow.events import ArtifactShared, CallFinished, CallStarted, Event
from dynaflow.grants import Grants
from dynaflow.loops import RepeatWatch
from dynaflow.recording import Recording
from dynaflow.staff import Staff
from subagents import Allowance, SubAgent, TokenUsage

REPEAT_TEMPERATURE = 0.7
"""Least temperature of the second and later equal calls of a run: a vote among equal replies would be none."""


class Emit(Protocol):
    """Takes an event into the run's stream and journal; one that is not `awaited` may reach it some milliseconds later."""

    async def __call__(self, event: Event, *, awaited: bool = True) -> None: ...


class Flow:
    """The calls of one run."""

    def __init__(
        self,
        run: str,
        staff: Staff,
        scope: Scope,
        emit: Emit,
        board: Board,
        grants: Grants,
        *,
        seed: int,
        per_workflow: Allowance = Allowance(),
        cache: Cache | None = None,
    ) -> None:
        self.run = run
        self.staff = staff
        self.scope = scope
        self.emit = emit
        self.board = board
        self.grants = grants
        self.cache = cache
        self.repeats = RepeatWatch()
        self.usage = TokenUsage()
        self.failures: Counter[str] = Counter()
        self.delivered = self.served = 0
        self._seed = seed
        self._per_workflow = per_workflow
        self._asked: Counter[str] = Counter()

    def door(self, turn: int, recording: Recording | None = None, *, strict: bool = True) -> WorkflowDoor:
        """The door of the workflow of one turn.

        recording: what the workflow was sent before. strict: whether it has to ask what it asked then.
        """
        return WorkflowDoor(self, turn, self.scope.child("the workflow", self._per_workflow), recording, strict=strict)

    def sampled(self, agent: SubAgent, key: str) -> tuple[SubAgent, int]:
        """The agent as it samples now, and the seed: made of run seed, key, and how often the key was asked before."""
        repeat = self._asked[key]
        self._asked[key] += 1
        digest = hashlib.sha256(f"{self._seed}:{key}:{repeat}".encode()).digest()
        if repeat and agent.sampling.temperature < REPEAT_TEMPERATURE:
            sampling = agent.sampling.model_copy(update={"temperature": REPEAT_TEMPERATURE})
            agent = agent.model_copy(update={"sampling": sampling})
        return agent, int.from_bytes(digest[:4], "big") >> 1

    async def remember(self, past: Sequence[Event]) -> None:
        """Take over what turns that are over have left behind: counts, use of the budget, artifacts."""
        started: dict[tuple[int, int], CallStarted] = {}
        for event in past:
            if isinstance(event, CallStarted):
                started[event.turn, event.call] = event
            elif isinstance(event, CallFinished):
                self._remember_call(started[event.turn, event.call], event)
            elif isinstance(event, ArtifactShared):
                await self.board.share(event.artifact, event.value)

    def _remember_call(self, started: CallStarted, finished: CallFinished) -> None:
        if finished.failure is not None:
            self.failures[finished.failure] += 1
        if finished.failure in NEVER_SENT:
            return
        self._asked[started.key] += 1
        self.charge(self.scope, finished)
        if finished.status == "delivered":
            self.delivered += 1
            self.repeats.delivered(finished.turn, started.key)

    def charge(self, scope: Scope, finished: CallFinished) -> None:
        """Count a call that was paid for before."""
        self.usage += finished.usage
        scope.charge(Amount(1, finished.usage.total, finished.cost or Decimal(0)))
