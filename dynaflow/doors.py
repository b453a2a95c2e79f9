"""What a workflow can reach: the sub-agents through `ask`, the board through `share` and `recall`; and who keeps its time.

A batch of calls is admitted whole by the budget, or every one of its calls fails with `BudgetExceeded` and none leaves.
Whatever goes back to the program is numbered in the order in which it does. With a recording the program is paced: calls
that are recorded are served from it in their recorded order, the rest goes out as ever.
"""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

import anyio
from pydantic import JsonValue

from dynaflow.budgets import Scope, reserve
from dynaflow.calls import Call
from dynaflow.errors import BudgetExceeded, VersionConflict
from dynaflow.events import ArtifactRecalled, ArtifactShared, DeadlinePassed
from dynaflow.loops import REPEATS_ALLOWED
from dynaflow.recording import Pace, Recording
from sandbox import Failure, Reply, Request

if TYPE_CHECKING:
    from dynaflow.flow import Flow


class WorkflowDoor:
    """The door of one workflow."""

    def __init__(
        self, flow: Flow, turn: int, scope: Scope, recording: Recording | None = None, *, strict: bool = True
    ) -> None:
        self.scope = scope
        self.turn = turn
        self.is_paced = recording is not None
        self._flow = flow
        self._recording = recording
        self._strict = strict
        self._pace = Pace()
        self._orders = itertools.count(1)
        self._agents: dict[str, Scope] = {}
        self._calls: list[Call] = []

    def admit(self, batch: Sequence[Request]) -> Sequence[Callable[[], Awaitable[Reply]]]:
        """Reserve the calls of a batch in the budget, all or none, and give what serves each request."""
        calls = {request.call: self._call(request) for request in batch if request.function == "ask"}
        repeats = self._flow.repeats.asked(self.turn, [call.key for call in calls.values()])
        for call in calls.values():
            call.repeats = repeats[call.key]
        self._reserve([c for c in calls.values() if c.recorded is None and c.repeats <= REPEATS_ALLOWED])
        self._calls += calls.values()
        for call in calls.values():
            if call.leaves:
                _ = call.sampled  # in this order, whichever is over first
        return [calls[request.call].serve if request.call in calls else self._board(request) for request in batch]

    def deadline(self, number: int, seconds: float) -> Callable[[], Awaitable[None]]:
        """A time limit that the program set: over when it was over before, else when its seconds are."""
        order = self._recording.deadline_order(number) if self._recording and self._strict else None
        gate = self._pace.hold(order, None) if order is not None else None

        async def over() -> None:
            if gate is None:
                await anyio.sleep(seconds)
            await self.pass_on(None, gate)
            passed = DeadlinePassed(turn=self.turn, deadline=number, seconds=seconds, order=self.next_order())
            await self._flow.emit(passed)

        return over

    def waiting(self, outstanding: Collection[int]) -> None:
        """The program waits: the next thing may go back to it."""
        self._pace.waiting(outstanding)

    async def pass_on(self, call: int | None, gate: anyio.Event | None = None) -> None:
        """Wait until something may go back to the program. gate: that of something recorded; None for what is new."""
        if gate is not None:
            await gate.wait()
        elif self.is_paced:
            await self._pace.queue(call)

    def next_order(self) -> int:
        """The number of what goes back now. It has to be on its way to the journal before anything else is awaited."""
        return next(self._orders)

    def close(self) -> None:
        """The workflow has ended: calls that were never begun give back what was reserved for them."""
        for call in self._calls:
            call.purse.close()

    def _call(self, request: Request) -> Call:
        agent = self._flow.staff.pool[str(request.arguments["agent"])]
        if agent.name not in self._agents:
            self._agents[agent.name] = self.scope.child(f"agent {agent.name!r}", agent.budget)
        call = Call(self._flow, self, request, agent, self._agents[agent.name])
        if self._recording is not None:
            if self._strict:
                self._recording.check(request.call, call.key)
            recorded = self._recording.take(call.key, request.branch)
            if recorded is not None and recorded.finished.order is not None:
                call.serve_from(self._recording, recorded, self._pace.hold(recorded.finished.order, request.call))
        return call

    def _reserve(self, calls: Sequence[Call]) -> None:
        try:
            for call, reservation in zip(calls, reserve([call.need() for call in calls]), strict=True):
                call.hold(reservation)
        except BudgetExceeded as error:
            for call in calls:
                call.refused = error

    # -- the board --------------------------------------------------------------------------------------------

    def _board(self, request: Request) -> Callable[[], Awaitable[Reply]]:
        order = self._recording.board_order(request.call) if self._recording and self._strict else None
        gate = self._pace.hold(order, request.call) if order is not None else None
        return partial(self._use_board, request, gate)

    async def _use_board(self, request: Request, gate: anyio.Event | None) -> Reply:
        artifact = str(request.arguments["id"])
        await self.pass_on(request.call, gate)
        try:
            if request.function == "share":
                return await self._share(request, artifact)
            version, value = await self._flow.board.find(artifact, _version(request, "version"))
        except (KeyError, TypeError, VersionConflict) as error:
            await self._recalled(request, artifact, 0)
            return Reply(failure=Failure(type(error).__name__, str(error.args[0])))
        await self._recalled(request, artifact, version)
        return Reply(value)

    async def _share(self, request: Request, artifact: str) -> Reply:
        value = cast("JsonValue", request.arguments["value"])
        version = await self._flow.board.share(artifact, value, _version(request, "expected"))
        shared = ArtifactShared(
            turn=self.turn, artifact=artifact, version=version, value=value, call=request.call, order=self.next_order()
        )
        await self._flow.emit(shared)
        return Reply(version)

    async def _recalled(self, request: Request, artifact: str, version: int) -> None:
        order = self.next_order()
        await self._flow.emit(
            ArtifactRecalled(turn=self.turn, artifact=artifact, version=version, call=request.call, order=order)
        )


def _version(request: Request, name: str) -> int | None:
    version = request.arguments.get(name)
    if version is not None and (isinstance(version, bool) or not isinstance(version, int)):
        raise TypeError(f"{name} is the number of a version, not {version!r}")
    return version
