"""Fall-backs and the budget of retries: one call, whoever answers it in the end, and a record of each who was asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from dynaflow.testing import ErrorReply, LoopbackServer, ScriptedModel, faults, sub_agent
from subagents import (
    AgentReply,
    AgentUnavailable,
    EmptyReply,
    Endpoint,
    Endpoints,
    Exchange,
    Pool,
    PoolError,
    SubAgent,
    answer,
    stand_ins,
)
from tests.subagents.calls import Seen

pytestmark = pytest.mark.anyio

ASKED = Exchange(instruction="How much?")
REFUSED = faults.status(401)


def agent(name: str = "solver", **fields: object) -> SubAgent:
    return SubAgent.model_validate({"name": name, "description": "solves", **fields})


async def called(pool: Pool, server: LoopbackServer, seen: Seen, model: str = "agent") -> AgentReply:
    """Call the first agent of a pool; its models are names at the server."""
    async with Endpoints() as endpoints:

        async def opened(name: str | None) -> Endpoint:
            return await endpoints.open(server.endpoint(name or model))

        first = next(iter(pool))
        following = await stand_ins(first, pool, opened)
        endpoint = await opened(first.model)
        return await answer(first, ASKED, endpoint=endpoint, tools={}, observer=seen, stand_ins=following)


@asynccontextmanager
async def serving(*rules: object) -> AsyncIterator[LoopbackServer]:
    async with LoopbackServer(ScriptedModel(*rules), models=["agent", "big", "other"]) as server:  # type: ignore[arg-type]
        yield server


async def test_another_model_answers_where_the_first_is_unavailable() -> None:
    pool, seen = Pool([agent(fallback={"model": "big"})]), Seen()
    async with serving(sub_agent(REFUSED, model="agent"), sub_agent("12", model="big")) as server:
        reply = await called(pool, server, seen)
        names = [server.endpoint("agent"), server.endpoint("big")]
    assert reply.value == "12"
    assert [(attempt.endpoint, attempt.agent, attempt.cause, attempt.transient) for attempt in seen.attempts] == [
        (names[0], "solver", "401", False),
        (names[1], "solver", None, None),
    ]
    (switch,) = seen.switches
    assert (switch.from_endpoint, switch.to_endpoint) == (names[0], names[1])
    assert (switch.from_agent, switch.to_agent, switch.cause) == ("solver", "solver", "AgentUnavailable")


async def test_a_chain_of_agents_is_followed_to_its_end() -> None:
    pool = Pool(
        [
            agent(fallback={"agent": "second"}),
            agent("second", model="big", instructions="You are the second.", fallback={"agent": "third"}),
            agent("third", model="other"),
        ]
    )
    seen = Seen()
    rules = (
        sub_agent(faults.context_overflow(), model="agent"),
        sub_agent(REFUSED, model="big", system="the second"),
        sub_agent("12", model="other"),
    )
    async with serving(*rules) as server:
        reply = await called(pool, server, seen)
    assert [attempt.agent for attempt in seen.attempts] == ["solver", "second", "third"]
    assert [switch.cause for switch in seen.switches] == ["ContextOverflow", "AgentUnavailable"]
    assert reply.usage == seen.usage


async def test_the_last_failure_is_that_of_the_call() -> None:
    pool, seen = Pool([agent(fallback={"model": "big"})]), Seen()
    async with serving(sub_agent(REFUSED), sub_agent(faults.status(403))) as server:
        with pytest.raises(AgentUnavailable, match="403"):
            await called(pool, server, seen)
    assert len(seen.switches) == 1


async def test_a_reply_of_no_use_is_the_agents_own_fault() -> None:
    pool, seen = Pool([agent(fallback={"model": "big"})]), Seen()
    async with serving(sub_agent(faults.truncated())) as server:
        with pytest.raises(EmptyReply):
            await called(pool, server, seen)
    assert not seen.switches


async def test_the_fallback_has_time_of_its_own() -> None:
    pool, seen = Pool([agent(timeout=0.3, fallback={"agent": "second"}), agent("second", model="big")]), Seen()
    async with serving(sub_agent(faults.stalled()), sub_agent("12", model="big")) as server:
        assert (await called(pool, server, seen)).value == "12"
    assert seen.causes == ["timeout", None]
    assert [switch.cause for switch in seen.switches] == ["CallTimeout"]
    assert seen.usage.unknown == 1


async def test_retries_are_a_budget_of_the_whole_call() -> None:
    shape = {"kind": "int"}
    solver, seen = agent(retries=2, reason_first=True), Seen()
    busy = faults.status(500, retry_after=0)
    rules = (sub_agent(busy), sub_agent("I think 12."), sub_agent(busy), sub_agent(busy))
    async with serving(*rules) as server, Endpoints() as endpoints:
        endpoint = await endpoints.open(server.endpoint("agent"))
        exchange = Exchange(instruction="How much?", shape=shape)
        with pytest.raises(AgentUnavailable, match="500"):
            await answer(solver, exchange, endpoint=endpoint, tools={}, observer=seen)
    assert seen.causes == ["500", None, "500", "500"]
    assert [attempt.transient for attempt in seen.attempts] == [True, None, True, True]


async def test_without_retries_the_first_failure_is_the_last_but_a_lesson_is_none() -> None:
    lesson = ErrorReply(400, "Unsupported value: 'seed' is not supported with this model.", param="seed")
    solver, seen = agent(retries=0, sampling={"seed": 1}), Seen()
    async with serving(sub_agent(lesson), sub_agent("12"), sub_agent(faults.status(500))) as server:
        async with Endpoints() as endpoints:
            endpoint = await endpoints.open(server.endpoint("agent"))
            assert (await answer(solver, ASKED, endpoint=endpoint, tools={}, observer=seen)).value == "12"
        async with Endpoints() as endpoints:  # another run of the process knows it already
            endpoint = await endpoints.open(server.endpoint("agent"))
            with pytest.raises(AgentUnavailable, match="500"):
                await answer(solver, ASKED, endpoint=endpoint, tools={}, observer=seen)
        assert [served.request.seed for served in server.log] == [1, None, None]
    assert seen.causes == ["request", None, "500"]


@pytest.mark.parametrize(
    ("agents", "says"),
    [
        ([{"fallback": {"agent": "solve"}}], "no agent 'solve' in|no agent 'solve'. Did you mean 'solver'"),
        ([{"fallback": {"agent": "solver"}}], "lead back to it: solver -> solver"),
        ([{"fallback": {"agent": "b"}}, {"name": "b", "fallback": {"agent": "solver"}}], "solver -> b -> solver"),
    ],
)
def test_fallbacks_that_lead_nowhere(agents: list[dict[str, object]], says: str) -> None:
    with pytest.raises(PoolError, match=says):
        Pool([agent(**{"name": "solver", **fields}) for fields in agents])  # type: ignore[arg-type]


@pytest.mark.parametrize("fallback", [{}, {"agent": "b", "model": "local"}])
def test_a_fallback_is_one_thing(fallback: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="either `agent: NAME` or `model: ENDPOINT`"):
        agent(fallback=fallback)
