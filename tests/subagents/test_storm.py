"""A storm: many calls at once against replicas that fail in every way; each ends once, and no token is lost or made up."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import anyio
import pytest

from dynaflow.testing import ErrorReply, LoopbackServer, Reply, Request, ScriptedModel, anyone, faults
from subagents import CallFailed, Endpoints, Exchange, SubAgent, TokenUsage, answer
from tests.subagents.calls import Seen

pytestmark = pytest.mark.anyio

CALLS = 150


def weather(seed: int) -> Callable[[Request], Reply | ErrorReply]:
    """Three requests in four are answered; the others fail, each in its way."""
    chance = random.Random(seed)
    bad: list[Reply | ErrorReply] = [
        faults.status(429, retry_after=0.01),
        faults.status(429),
        faults.status(500, retry_after=0.01),
        faults.status(503, retry_after=0.01),
        faults.cut(after=0),
        faults.cut(after=3),
        faults.blank(),
        faults.truncated(),
        faults.without_usage("fine"),
        faults.stalled(after=chance.choice([0, 2])),
    ]

    def reply(_: Request) -> Reply | ErrorReply:
        return chance.choice(bad) if chance.random() < 0.25 else Reply("fine, thank you")

    return reply


async def test_a_storm() -> None:
    ends: Counter[str] = Counter()
    observers = [Seen() for _ in range(CALLS)]
    agent = SubAgent.model_validate({"name": "a", "description": "d", "timeout": 2.0, "retries": 6})

    async with (
        LoopbackServer(ScriptedModel(anyone(weather(1))), latency=0.005) as one,
        LoopbackServer(ScriptedModel(anyone(weather(2))), latency=0.005) as two,
        Endpoints() as endpoints,
    ):
        endpoint = await endpoints.open(f"{one.base_url},{two.base_url}#agent")

        async def call(seen: Seen) -> None:
            try:
                reply = await answer(agent, Exchange(instruction="?"), endpoint=endpoint, tools={}, observer=seen)
                assert reply.usage == seen.usage
                ends[reply.text] += 1
            except CallFailed as error:
                ends[error.kind] += 1

        async with anyio.create_task_group() as tasks:
            for seen in observers:
                tasks.start_soon(call, seen)
        await one.until_idle()
        await two.until_idle()
        limiters = [replica.upstream.limiter for replica in endpoint.replicas]
        seats = [(limiter.in_flight, limiter.waiting) for limiter in limiters]
        taken = [replica.taken for replica in endpoint.replicas]

    assert sum(ends.values()) == CALLS
    assert set(ends) <= {"fine, thank you", "fine", "CallTimeout", "EmptyReply", "AgentUnavailable"}
    assert ends["fine, thank you"] > CALLS / 2
    assert (seats, taken) == ([(0, 0), (0, 0)], [0, 0])
    attempts = [attempt for seen in observers for attempt in seen.attempts]
    served = [*one.log, *two.log]
    assert len(attempts) == len(served)
    used = sum((attempt.usage for attempt in attempts), TokenUsage())
    assert used.prompt == sum(request.prompt_tokens for request in served)
    assert used.completion == sum(request.completion_tokens for request in served)
    assert used.unknown == sum(
        (request.status == 200 and not request.prompt_tokens) or request.status is None for request in served
    )
