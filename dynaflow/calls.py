"""One call: from its start to its one terminal event, served from a journal or asked of a sub-agent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

import anyio
from pydantic import JsonValue

from dynaflow.audit import inside_call
from dynaflow.budgets import Need, Reservation, Scope
from dynaflow.cache import cache_key
from dynaflow.errors import BudgetExceeded
from dynaflow.events import (
    CallAttempted,
    CallFinished,
    CallServed,
    CallStarted,
    ModelSwitched,
    ReplyRepaired,
    SourceRecord,
    ToolCalled,
)
from dynaflow.grants import NotGranted
from dynaflow.loops import REPEATED_CALL, REPEATS_ALLOWED, repeated_message
from dynaflow.recording import RecordedCall, Recording
from dynaflow.spending import Purse, opening_need, tariff_of
from sandbox import Failure, Reply, Request
from subagents import AgentReply, CallFailed, ChatRequest, Endpoint, Exchange, SubAgent, answer
from subagents.messages import Attempt, Switch

if TYPE_CHECKING:
    from dynaflow.doors import WorkflowDoor
    from dynaflow.flow import Flow

NEVER_SENT = frozenset({"BudgetExceeded", "NotGranted", REPEATED_CALL})
"""Failures of calls that did not leave."""


class Call:
    """One call of one workflow. Observes its own attempts, repairs and tool calls."""

    def __init__(self, flow: Flow, door: WorkflowDoor, request: Request, agent: SubAgent, scope: Scope) -> None:
        arguments = cast("Mapping[str, JsonValue]", request.arguments)
        self._flow = flow
        self._door = door
        self._turn = door.turn
        self._request = request
        self._agent = agent
        self._scope = scope
        self._label = cast("str | None", arguments.get("label"))
        self._exchange = Exchange(
            instruction=str(arguments["instruction"]), inputs=arguments.get("inputs"), shape=arguments.get("returns")
        )
        self._started = anyio.current_time()
        self._source: tuple[str, int] = ("", 0)
        self._gate: anyio.Event | None = None
        self.purse = Purse(scope, tariff_of(flow.staff.endpoints.get(agent.name)))
        self.key = self._key()
        self.repeats = 0
        self.refused: BudgetExceeded | None = None
        self.recorded: RecordedCall | None = None

    @cached_property
    def sampled(self) -> tuple[SubAgent, int]:
        """The agent as it samples for this call, and the seed. To be asked for in the order of the calls."""
        return self._flow.sampled(self._agent, self.key)

    @property
    def leaves(self) -> bool:
        """Whether the call is asked, or was when it was recorded."""
        if self.recorded is not None:
            return self.recorded.finished.failure not in NEVER_SENT
        return self.refused is None and self.repeats <= REPEATS_ALLOWED

    def need(self) -> Need:
        """What the call needs to begin."""
        return opening_need(self.purse, self._agent, self._exchange)

    def hold(self, reservation: Reservation) -> None:
        """Take over what was reserved for the call."""
        self.purse.hold(reservation)

    def serve_from(self, recording: Recording, recorded: RecordedCall, gate: anyio.Event) -> None:
        """Have the call answered by what is recorded, when its gate opens."""
        self.recorded, self._gate, self._source = recorded, gate, (recording.run, recording.turn)

    async def serve(self) -> Reply:
        """The reply, once the call is over."""
        if self.recorded is not None:
            return await self._replay(self.recorded)
        await self._flow.emit(self._start())
        try:
            if self.repeats > REPEATS_ALLOWED:
                return await self._fail(REPEATED_CALL, repeated_message(self.repeats))
            if self.refused is not None:
                return await self._fail("BudgetExceeded", str(self.refused))
            return await self._answer()
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._cancelled()
            raise

    async def _answer(self) -> Reply:
        try:
            await self._flow.grants.admit(self._agent.name, self._turn)
        except NotGranted as error:
            return await self._fail(error.kind, str(error))
        agent, seed = self.sampled
        endpoint = self._flow.staff.endpoints.get(agent.name)
        cache, key = self._flow.cache, ""
        if cache is not None and endpoint is not None:
            key = cache_key(self.key, endpoint.name, agent.sampling.temperature, seed)
            found = await cache.find(key)
            if found is not None:
                return await self._from_cache(*found)
        try:
            with inside_call(self._turn, self._request.call, self._flow.emit):
                reply = await self._ask(agent, seed, endpoint)
        except BudgetExceeded as error:
            return await self._fail("BudgetExceeded", str(error))
        except CallFailed as error:
            return await self._fail(error.kind, f"{error}{self._shortened(error)}")
        seconds = anyio.current_time() - self._started
        await self._door.pass_on(self._request.call)
        self._flow.delivered += 1
        self._flow.repeats.delivered(self._turn, self.key)
        await self._flow.emit(self._finished("delivered", seconds=seconds, value=reply.value, text=reply.text))
        if cache is not None and key:
            await cache.keep(key, self._flow.run, self._turn, self._request.call)
        return Reply(reply.value)

    async def _from_cache(self, run: str, finished: CallFinished) -> Reply:
        """Answer with what another call has been told; nothing is paid, and the call counts."""
        self.purse.leave()
        await self._door.pass_on(self._request.call)
        self._flow.served += 1
        self._flow.delivered += 1
        self._flow.repeats.delivered(self._turn, self.key)
        served = CallServed(
            turn=self._turn, call=self._request.call, source="cache", run=run, of_turn=finished.turn, of_call=finished.call
        )  # fmt: skip
        await self._flow.emit(served, awaited=False)
        place = {"turn": self._turn, "call": self._request.call, "order": self._door.next_order()}
        await self._flow.emit(finished.model_copy(update=place))
        return Reply(finished.value)

    async def _ask(self, agent: SubAgent, seed: int, endpoint: Endpoint | None) -> AgentReply:
        staff = self._flow.staff
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

    async def _replay(self, recorded: RecordedCall) -> Reply:
        """Answer from the journal. Nothing is awaited: what was paid for is in a journal already."""
        flow, finished, number = self._flow, recorded.finished, self._request.call
        run, turn = self._source
        await flow.emit(self._start(), awaited=False)
        await self._door.pass_on(number, self._gate)
        served = CallServed(
            turn=self._turn, call=number, source="journal", run=run, of_turn=turn, of_call=finished.call
        )
        for event in (served, *recorded.steps):
            await flow.emit(event.model_copy(update={"turn": self._turn, "call": number}), awaited=False)
        self._account_for(finished)
        place = {"turn": self._turn, "call": number, "order": self._door.next_order()}
        await flow.emit(finished.model_copy(update=place), awaited=False)
        if finished.failure is not None:
            return Reply(failure=Failure(finished.failure, finished.message or ""))
        return Reply(finished.value)

    def _account_for(self, finished: CallFinished) -> None:
        flow = self._flow
        flow.served += 1
        if finished.failure is not None:
            flow.failures[finished.failure] += 1
        if finished.failure in NEVER_SENT:
            return
        flow.charge(self._scope, finished)
        if finished.failure is None:
            flow.delivered += 1
            flow.repeats.delivered(self._turn, self.key)

    def _shortened(self, error: CallFailed) -> str:
        """Why a reply was cut off, where that was the budget's doing."""
        tokens = self.purse.shortened_to
        return f" (the budget left {tokens} tokens for it)" if tokens and error.cause == "length" else ""

    # -- what is observed inside the call ---------------------------------------------------------------------

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

    # -- its events -------------------------------------------------------------------------------------------

    def _key(self) -> str:
        """The hash of what decides the reply: who is asked, and what."""
        exchange = self._exchange
        asked = [self._flow.staff.identity(self._agent), exchange.instruction, exchange.inputs, exchange.shape]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()

    def _start(self) -> CallStarted:
        request = self._request
        sources = tuple(SourceRecord(path=s.path, call=s.call) for s in request.sources if s.argument == "inputs")
        return CallStarted(
            turn=self._turn, call=request.call, key=self.key, agent=self._agent.name,
            instruction=self._exchange.instruction, inputs=self._exchange.inputs, shape=self._exchange.shape,
            label=self._label, branch=request.branch, line=request.line, sources=sources, repeats=self.repeats,
        )  # fmt: skip

    async def _fail(self, kind: str, message: str) -> Reply:
        seconds = anyio.current_time() - self._started
        await self._door.pass_on(self._request.call)
        self._flow.failures[kind] += 1
        await self._flow.emit(self._finished("failed", seconds=seconds, failure=kind, message=message))
        return Reply(failure=Failure(kind, message))

    async def _cancelled(self) -> None:
        await self._flow.emit(self._finished("cancelled", seconds=anyio.current_time() - self._started))

    def _finished(
        self,
        status: Literal["delivered", "failed", "cancelled"],
        *,
        seconds: float,
        value: JsonValue = None,
        text: str = "",
        failure: str | None = None,
        message: str | None = None,
    ) -> CallFinished:
        self.purse.close()
        return CallFinished(
            turn=self._turn, call=self._request.call, status=status, value=value, text=text, failure=failure,
            message=message, usage=self.purse.usage, cost=self.purse.cost, seconds=seconds,
            order=None if status == "cancelled" else self._door.next_order(),
        )  # fmt: skip
