"""Flow: the one door between workflows and sub-agents.

Every call of every workflow, generated or written by a person, passes here, and only here live budgets, journal
events, the seeds of equal calls, and the watch for calls that repeat themselves. A workflow's `Door` is what the
sandbox sees of it: a batch is admitted whole by the budget, or every one of its calls fails with `BudgetExceeded` and
none leaves.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, Protocol, cast

import anyio
from pydantic import JsonValue

from dynaflow.audit import inside_call
from dynaflow.board import Board
from dynaflow.budgets import Need, Reservation, Scope, reserve
from dynaflow.errors import BudgetExceeded, VersionConflict
from dynaflow.events import (
    ArtifactShared,
    CallAttempted,
    CallFinished,
    CallStarted,
    Event,
    ModelSwitched,
    ReplyRepaired,
    SourceRecord,
    ToolCalled,
)
from dynaflow.grants import Grants
from dynaflow.loops import REPEATED_CALL, REPEATS_ALLOWED, RepeatWatch, repeated_message
from dynaflow.spending import Purse, opening_need, tariff_of
from sandbox import Failure, Reply, Request
from subagents import (
    AgentReply,
    Allowance,
    CallFailed,
    ChatRequest,
    Endpoint,
    Exchange,
    Pool,
    StandIn,
    SubAgent,
    TokenUsage,
    Tool,
    answer,
)
from subagents.messages import Attempt, Switch

REPEAT_TEMPERATURE = 0.7
"""Least temperature of the second and later equal calls of a run: a vote among equal replies would be none."""


class Emit(Protocol):
    """Takes an event into the run's stream and journal."""

    async def __call__(self, event: Event) -> None: ...


@dataclass(frozen=True, slots=True)
class Staff:
    """Who answers the calls of a run: the pool, an open endpoint for each agent that has a model, and the tools."""

    pool: Pool
    endpoints: Mapping[str, Endpoint]
    tools: Mapping[str, Tool]
    stand_ins: Mapping[str, Sequence[StandIn]] = field(default_factory=dict)
    """Who answers when an agent's endpoint does not."""


class Flow:
    """The calls of one run."""

    def __init__(
        self,
        staff: Staff,
        scope: Scope,
        emit: Emit,
        seed: int,
        board: Board,
        grants: Grants,
        per_workflow: Allowance = Allowance(),
    ) -> None:
        self.staff = staff
        self.grants = grants
        self.scope = scope
        self.emit = emit
        self.board = board
        self.repeats = RepeatWatch()
        self.usage = TokenUsage()
        self.failures: Counter[str] = Counter()
        self.delivered = 0
        self._seed = seed
        self._per_workflow = per_workflow
        self._asked: Counter[str] = Counter()

    def door(self, turn: int) -> WorkflowDoor:
        """The door of the workflow of one turn."""
        return WorkflowDoor(self, turn, self.scope.child("the workflow", self._per_workflow))

    def sampled(self, agent: SubAgent, key: str) -> tuple[SubAgent, int]:
        """The agent as it samples now, and the seed: made of run seed, key, and how often the key was asked before."""
        repeat = self._asked[key]
        self._asked[key] += 1
        digest = hashlib.sha256(f"{self._seed}:{key}:{repeat}".encode()).digest()
        if repeat and agent.sampling.temperature < REPEAT_TEMPERATURE:
            sampling = agent.sampling.model_copy(update={"temperature": REPEAT_TEMPERATURE})
            agent = agent.model_copy(update={"sampling": sampling})
        return agent, int.from_bytes(digest[:4], "big") >> 1


class WorkflowDoor:
    """What a workflow can reach: the sub-agents through `ask`, the board through `share` and `recall`."""

    def __init__(self, flow: Flow, turn: int, scope: Scope) -> None:
        self.scope = scope
        self._flow = flow
        self._turn = turn
        self._agents: dict[str, Scope] = {}
        self._calls: list[_Call] = []

    def admit(self, batch: Sequence[Request]) -> Sequence[Callable[[], Awaitable[Reply]]]:
        """Reserve the calls of a batch in the budget, all or none, and give what serves each request."""
        calls = {request.call: self._call(request) for request in batch if request.function == "ask"}
        repeats = self._flow.repeats.asked(self._turn, [call.key for call in calls.values()])
        for call in calls.values():
            call.repeats = repeats[call.key]
        fresh = [call for call in calls.values() if call.repeats <= REPEATS_ALLOWED]
        try:
            for call, reservation in zip(fresh, reserve([call.need() for call in fresh]), strict=True):
                call.hold(reservation)
        except BudgetExceeded as error:
            for call in fresh:
                call.refused = error
        self._calls += fresh
        return [
            calls[request.call].answer if request.call in calls else partial(self._serve, request) for request in batch
        ]

    def deadline(self, number: int, seconds: float) -> Callable[[], Awaitable[None]]:
        """A time limit that the program set."""
        return partial(anyio.sleep, seconds)

    def waiting(self, outstanding: Collection[int]) -> None:
        """Nothing is held back here."""

    def close(self) -> None:
        """The workflow has ended: calls that were never begun give back what was reserved for them."""
        for call in self._calls:
            call.purse.close()

    def _call(self, request: Request) -> _Call:
        agent = self._flow.staff.pool[str(request.arguments["agent"])]
        if agent.name not in self._agents:
            self._agents[agent.name] = self.scope.child(f"agent {agent.name!r}", agent.budget)
        return _Call(self._flow, self._turn, request, agent, self._agents[agent.name])

    async def _serve(self, request: Request) -> Reply:
        artifact = str(request.arguments["id"])
        try:
            if request.function == "share":
                return await self._share(request, artifact)
            return Reply(await self._flow.board.recall(artifact, _version(request, "version")))
        except (KeyError, TypeError, VersionConflict) as error:
            return Reply(failure=Failure(type(error).__name__, str(error.args[0])))

    async def _share(self, request: Request, artifact: str) -> Reply:
        value = cast("JsonValue", request.arguments["value"])
        version = await self._flow.board.share(artifact, value, _version(request, "expected"))
        shared = ArtifactShared(turn=self._turn, artifact=artifact, version=version, value=value, call=request.call)
        await self._flow.emit(shared)
        return Reply(version)


def _version(request: Request, name: str) -> int | None:
    version = request.arguments.get(name)
    if version is not None and (isinstance(version, bool) or not isinstance(version, int)):
        raise TypeError(f"{name} is the number of a version, not {version!r}")
    return version


class _Call:
    """One call from its start to its one terminal event. Observes its own attempts, repairs and tool calls."""

    def __init__(self, flow: Flow, turn: int, request: Request, agent: SubAgent, scope: Scope) -> None:
        arguments = cast("Mapping[str, JsonValue]", request.arguments)
        self._flow = flow
        self._turn = turn
        self._request = request
        self._agent = agent
        self._scope = scope
        self._label = cast("str | None", arguments.get("label"))
        self._exchange = Exchange(
            instruction=str(arguments["instruction"]), inputs=arguments.get("inputs"), shape=arguments.get("returns")
        )
        self._started = anyio.current_time()
        self.purse = Purse(scope, tariff_of(flow.staff.endpoints.get(agent.name)))
        self.key = self._key()
        self.repeats = 0
        self.refused: BudgetExceeded | None = None

    def need(self) -> Need:
        """What the call needs to begin."""
        return opening_need(self.purse, self._agent, self._exchange)

    def hold(self, reservation: Reservation) -> None:
        """Take over what was reserved for the call."""
        self.purse.hold(reservation)

    async def answer(self) -> Reply:
        """Have the sub-agent answer, unless the call may not leave."""
        await self._flow.emit(self._start())
        if self.repeats > REPEATS_ALLOWED:
            return await self._fail(REPEATED_CALL, repeated_message(self.repeats))
        if self.refused is not None:
            return await self._fail("BudgetExceeded", str(self.refused))
        try:
            reply = await self._ask()
        except BudgetExceeded as error:
            return await self._fail("BudgetExceeded", str(error))
        except CallFailed as error:
            return await self._fail(error.kind, f"{error}{self._shortened(error)}")
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._finish("cancelled")
            raise
        self._flow.delivered += 1
        self._flow.repeats.delivered(self._turn, self.key)
        await self._finish("delivered", value=reply.value, text=reply.text)
        return Reply(reply.value)

    async def _ask(self) -> AgentReply:
        await self._flow.grants.admit(self._agent.name, self._turn)
        with inside_call(self._turn, self._request.call, self._flow.emit):
            return await self._asked()

    async def _asked(self) -> AgentReply:
        agent, seed = self._flow.sampled(self._agent, self.key)
        staff = self._flow.staff
        endpoint = staff.endpoints.get(agent.name)
        with self._scope.within_time(below=self._flow.scope):
            async with self._scope.in_flight():
                self._started = anyio.current_time()
                if endpoint is None:
                    self.purse.leave()
                return await answer(
                    agent, self._exchange, endpoint=endpoint, tools=staff.tools, observer=self, seed=seed,
                    stand_ins=staff.stand_ins.get(agent.name, ()),
                )  # fmt: skip
        raise AssertionError("what does not answer in time raises")

    def _shortened(self, error: CallFailed) -> str:
        """Why a reply was cut off, where that was the budget's doing."""
        tokens = self.purse.shortened_to
        return f" (the budget left {tokens} tokens for it)" if tokens and error.cause == "length" else ""

    def asking(self, request: ChatRequest, endpoint: Endpoint) -> ChatRequest:
        return self.purse.asking(request, tariff_of(endpoint))

    async def attempted(self, attempt: Attempt) -> None:
        self._flow.usage += attempt.usage
        try:
            self.purse.attempted(attempt)
        finally:
            await self._flow.emit(CallAttempted(turn=self._turn, call=self._request.call, attempt=attempt))

    async def switched(self, switch: Switch) -> None:
        await self._flow.emit(ModelSwitched(turn=self._turn, call=self._request.call, switch=switch))

    async def repaired(self, how: Literal["json", "asked"], problem: str, before: str) -> None:
        call = self._request.call
        await self._flow.emit(ReplyRepaired(turn=self._turn, call=call, how=how, problem=problem, before=before))

    async def tool_called(self, tool: str, arguments: JsonValue, result: str, ok: bool, seconds: float) -> None:
        event = ToolCalled(
            turn=self._turn, call=self._request.call, tool=tool, arguments=arguments, result=result, ok=ok, seconds=seconds
        )  # fmt: skip
        await self._flow.emit(event)

    def _key(self) -> str:
        """The hash of what decides the reply: who is asked, and what."""
        agent = self._agent
        decisive = [
            agent.instructions, agent.model, agent.sampling.model_dump(), agent.reply_through,
            self._exchange.instruction, self._exchange.inputs, self._exchange.shape,
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()

    def _start(self) -> CallStarted:
        request = self._request
        sources = tuple(SourceRecord(path=s.path, call=s.call) for s in request.sources if s.argument == "inputs")
        return CallStarted(
            turn=self._turn, call=request.call, agent=self._agent.name, instruction=self._exchange.instruction,
            inputs=self._exchange.inputs, shape=self._exchange.shape, label=self._label,
            branch=request.branch, line=request.line, sources=sources, repeats=self.repeats,
        )  # fmt: skip

    async def _fail(self, kind: str, message: str) -> Reply:
        self._flow.failures[kind] += 1
        await self._finish("failed", failure=kind, message=message)
        return Reply(failure=Failure(kind, message))

    async def _finish(
        self,
        status: Literal["delivered", "failed", "cancelled"],
        *,
        value: JsonValue = None,
        text: str = "",
        failure: str | None = None,
        message: str | None = None,
    ) -> None:
        self.purse.close()
        event = CallFinished(
            turn=self._turn, call=self._request.call, status=status, value=value, text=text, failure=failure,
            message=message, usage=self.purse.usage, seconds=anyio.current_time() - self._started,
        )  # fmt: skip
        await self._flow.emit(event)
