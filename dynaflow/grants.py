"""Grants: what a run's policy holds back, though its pool grants it, can be asked for and given while the run goes on.

`Grants` holds the policy that is in force. A program whose check finds nothing but what is held back leads to the question,
and is then checked again; so does a call to an agent whose name the program has computed, which waits for the decision.
Each thing is decided once in a run, and the decision is journalled. Where nobody is there to decide, it is refused, which
is said. What the pool does not grant is never given.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import anyio

from dynaflow.events import AgentRecord, Event, GrantDecided
from dynaflow.language import contract_for
from dynaflow.policies import Permissions, Policy
from dynaflow.task import Task
from sandbox import Contract, Finding
from subagents import CallFailed

Kind = Literal["agent", "module"]
_ATTEMPT = "give --approve on the command line, or `grant` from Python, to be asked"


@dataclass(frozen=True, slots=True)
class GrantAsked:
    """The question whether something is granted to the run: what, in which turn, and what it is wanted for."""

    kind: Kind
    name: str
    turn: int
    reason: str


Grant = Callable[[GrantAsked], Awaitable[bool]]
"""Decides a question."""


class NotGranted(CallFailed):
    """The policy of the run holds the agent back, and it was not granted."""


class _Emit(Protocol):
    async def __call__(self, event: Event, *, awaited: bool = True) -> None: ...


class Grants:
    """The policy in force of one run, and the questions to whoever may grant more."""

    def __init__(
        self, permissions: Permissions, agents: Sequence[str], emit: _Emit, grant: Grant | None = None
    ) -> None:
        """agents: those that are there in this run, of all that the policies name."""
        self.policy = permissions.given
        self._granted = permissions.granted
        self._agents = agents
        self._emit = emit
        self._grant = grant
        self._decided: dict[tuple[Kind, str], bool] = {}
        self._asking = anyio.Lock()

    def contract(self, task: Task) -> Contract:
        """What a program may call, import and see now."""
        return contract_of(Permissions(self._granted, self.policy, {}), self._agents, task)

    def shown(self, agents: Sequence[AgentRecord]) -> tuple[AgentRecord, ...]:
        """Those of the agents that a program may call."""
        return tuple(agent for agent in agents if self._holds("agent", agent.name))

    async def remember(self, decided: Sequence[GrantDecided], kept: Sequence[Event]) -> None:
        """Take over what the run from which this one goes on was granted. kept: what of it is this run's past already."""
        for event in decided:
            if event.granted:
                self.policy = _widened(self.policy, self._granted, event.kind, event.name)
                if event not in kept:
                    await self._emit(event)

    async def permit(self, turn: int, findings: Sequence[Finding]) -> bool:
        """Whether all that a check has found was held back and is granted now, so that the program is to be checked again."""
        if not findings or any(finding.withheld is None for finding in findings):
            return False
        wanted: dict[tuple[Kind, str], Finding] = {}
        for finding in findings:
            kind: Kind = "agent" if finding.kind == "choice" else "module"
            wanted.setdefault((kind, str(finding.withheld)), finding)
        for (kind, name), finding in wanted.items():
            if not await self._decide(GrantAsked(kind, name, turn, _line(finding))):
                return False
        return True

    async def admit(self, agent: str, turn: int) -> None:
        """Let a call to the agent pass, once it is granted. Raises `NotGranted`."""
        if self._holds("agent", agent):
            return
        if agent in (self._granted.agents or ()):
            if await self._decide(GrantAsked("agent", agent, turn, "the running program asks it")):
                return
            fate = "is held back from this run by its policy, and was not granted"
        else:
            fate = "is not granted to programs by the pool"
        there = ", ".join(self.policy.agents or ()) or "none"
        raise NotGranted(f"agent {agent!r} {fate}: do without it; there are {there}", cause="policy")

    def _holds(self, kind: Kind, name: str) -> bool:
        return name in ((self.policy.agents if kind == "agent" else self.policy.modules) or ())

    async def _decide(self, asked: GrantAsked) -> bool:
        """The decision; several calls that want the same wait for one question, and two questions are not asked at once."""
        async with self._asking:
            known = self._decided.get((asked.kind, asked.name))
            if known is not None:
                return known
            given = self._grant is not None and await self._grant(asked)
            await self._journal(asked, given)
            self._decided[asked.kind, asked.name] = given
            if given:
                self.policy = _widened(self.policy, self._granted, asked.kind, asked.name)
            return given

    async def _journal(self, asked: GrantAsked, given: bool) -> None:
        nobody = self._grant is None
        reason = f"{asked.reason}; nobody is there to decide: {_ATTEMPT}" if nobody else asked.reason
        event = GrantDecided(
            turn=asked.turn, kind=asked.kind, name=asked.name, granted=given, by="nobody" if nobody else "approver",
            reason=reason,
        )  # fmt: skip
        await self._emit(event)


def contract_of(permissions: Permissions, agents: Sequence[str], task: Task) -> Contract:
    """What a program may call, import and see; what is only held back from it may be asked for. agents: that are there."""
    granted, given = set(permissions.granted.agents or ()), set(permissions.given.agents or ())
    withheld = [name for name in agents if name in granted - given]
    called = [name for name in agents if name in given]
    return contract_for(task, called, withheld=withheld, modules=permissions.given.modules)


def _widened(policy: Policy, granted: Policy, kind: Kind, name: str) -> Policy:
    """The policy with one thing more, of what the pool grants and in its order."""
    field: Literal["agents", "modules"] = "agents" if kind == "agent" else "modules"
    held = {*(getattr(policy, field) or ()), name}
    return policy.model_copy(update={field: tuple(name for name in getattr(granted, field) or () if name in held)})


def _line(finding: Finding) -> str:
    return f"line {finding.line} of the program: {finding.source_line.strip()[:200]}"
