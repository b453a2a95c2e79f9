"""Flow: the one door between workflows and sub-agents.

Every call of every workflow, generated or written by a person, passes here, and only here live budgets, journal
events and the seeds of equal calls. A workflow's `Door` is what the sandbox sees of it: a batch is admitted whole
by the budget, or every one of its calls fails with `BudgetExceeded` and none leaves.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol, cast

import anyio
from pydantic import JsonValue

from dynaflow.board import Board
from dynaflow.errors import BudgetExceeded, VersionConflict
from dynaflow.events import (
    ArtifactShared,
    CallAttempted,
    CallFinished,
    CallStarted,
    Event,
    ReplyRepaired,
    SourceRecord,
    ToolCalled,
)
from dynaflow.meter import Meter
from sandbox import Failure, Reply, Request
from subagents import AgentReply, CallFailed, Endpoint, Exchange, Pool, SubAgent, TokenUsage, Tool, answer
from subagents.messages import Attempt

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


class Flow:
    """The calls of one run."""

    def __init__(self, staff: Staff, meter: Meter, emit: Emit, seed: int, board: Board) -> None:
        self.staff = staff
        self.meter = meter
        self.emit = emit
        self.board = board
        self.failures: Counter[str] = Counter()
        self.delivered = 0
        self._seed = seed
        self._asked: Counter[str] = Counter()

    def door(self, turn: int) -> WorkflowDoor:
        """The door of the workflow of one turn."""
        return WorkflowDoor(self, turn)

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

    def __init__(self, flow: Flow, turn: int) -> None:
        self._flow = flow
        self._turn = turn

    def admit(self, batch: Sequence[Request]) -> Sequence[Callable[[], Awaitable[Reply]]]:
        """Reserve the calls of a batch in the budget, all or none, and give what serves each request."""
        calls = sum(request.function == "ask" for request in batch)
        refused: BudgetExceeded | None = None
        if calls:
            try:
                self._flow.meter.reserve(calls)
            except BudgetExceeded as error:
                refused = error
        return [partial(self._serve, request, refused) for request in batch]

    async def _serve(self, request: Request, refused: BudgetExceeded | None) -> Reply:
        if request.function == "ask":
            return await _Call(self._flow, self._turn, request).refuse(refused) if refused else await self._ask(request)
        artifact = str(request.arguments["id"])
        try:
            if request.function == "share":
                return await self._share(request, artifact)
            return Reply(await self._flow.board.recall(artifact, _version(request, "version")))
        except (KeyError, TypeError, VersionConflict) as error:
            return Reply(failure=Failure(type(error).__name__, str(error.args[0])))

    async def _ask(self, request: Request) -> Reply:
        return await _Call(self._flow, self._turn, request).answer()

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

    def __init__(self, flow: Flow, turn: int, request: Request) -> None:
        arguments = cast("Mapping[str, JsonValue]", request.arguments)
        self._flow = flow
        self._turn = turn
        self._request = request
        self._agent = flow.staff.pool[str(arguments["agent"])]
        self._label = cast("str | None", arguments.get("label"))
        self._exchange = Exchange(
            instruction=str(arguments["instruction"]), inputs=arguments.get("inputs"), shape=arguments.get("returns")
        )
        self._usage = TokenUsage()
        self._started = anyio.current_time()

    async def answer(self) -> Reply:
        """Have the sub-agent answer."""
        await self._flow.emit(self._start())
        try:
            reply = await self._ask()
        except CallFailed as error:
            return await self._fail(error.kind, str(error))
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._finish("cancelled")
            raise
        self._flow.delivered += 1
        await self._finish("delivered", value=reply.value, text=reply.text)
        return Reply(reply.value)

    async def refuse(self, error: BudgetExceeded) -> Reply:
        """End the call before it left, because the budget does not allow it."""
        await self._flow.emit(self._start())
        return await self._fail("BudgetExceeded", str(error))

    async def _ask(self) -> AgentReply:
        agent, seed = self._flow.sampled(self._agent, self._key())
        staff = self._flow.staff
        endpoint = staff.endpoints.get(agent.name)
        return await answer(agent, self._exchange, endpoint=endpoint, tools=staff.tools, observer=self, seed=seed)

    async def attempted(self, attempt: Attempt) -> None:
        self._usage += attempt.usage
        self._flow.meter.agents += attempt.usage
        await self._flow.emit(CallAttempted(turn=self._turn, call=self._request.call, attempt=attempt))

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
            branch=request.branch, line=request.line, sources=sources,
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
        event = CallFinished(
            turn=self._turn, call=self._request.call, status=status, value=value, text=text, failure=failure,
            message=message, usage=self._usage, seconds=anyio.current_time() - self._started,
        )  # fmt: skip
        await self._flow.emit(event)
