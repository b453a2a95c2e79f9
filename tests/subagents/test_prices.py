"""What attempts cost, and that a price that is not known is not 0."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dynaflow.testing import LoopbackServer, ScriptedModel, anyone, faults, sub_agent
from subagents import Attempt, ChatRequest, Endpoints, EndpointSpec, Message, Price, TokenUsage, chat, price
from subagents.messages import UNKNOWN_USAGE
from subagents.prices import FREE

ASKED = ChatRequest(messages=(Message(role="user", content="How much?"),))
USED = TokenUsage(prompt=1_000_000, completion=1_000_000)
OPENAI = "https://api.openai.com/v1"
PRICE = Price(input=Decimal("0.5"), output=Decimal(2))


def test_a_list_price() -> None:
    cost = price("gpt-4o-mini", OPENAI, USED)
    assert cost is not None
    assert 0 < cost < 10
    assert price("gpt-4o-mini", OPENAI, TokenUsage()) == 0


@pytest.mark.parametrize(
    ("model", "base_url", "usage"),
    [
        ("no-such-model", OPENAI, USED),
        ("gpt-4o-mini", "http://127.0.0.1:8000/v1", USED),
        ("gpt-4o-mini", "http://gpu:8000/v1", USED),
        ("gpt-4o-mini", "https://models.example.org/v1", USED),
        ("gpt-4o-mini", OPENAI, UNKNOWN_USAGE),
    ],
)
def test_what_is_not_known_is_not_nothing(model: str, base_url: str, usage: TokenUsage) -> None:
    assert price(model, base_url, usage) is None


def test_a_price_of_ones_own() -> None:
    assert PRICE.of(USED) == Decimal("2.5")
    assert PRICE.of(UNKNOWN_USAGE) is None
    assert FREE.of(UNKNOWN_USAGE) == 0


def test_unknown_attempts_are_counted_in_a_sum() -> None:
    total = sum([USED, UNKNOWN_USAGE, UNKNOWN_USAGE], TokenUsage())
    assert (total.total, total.unknown, total.known) == (2_000_000, 2, False)


async def attempts_of(server: LoopbackServer, own: Price | None) -> list[Attempt]:
    attempts: list[Attempt] = []

    async def keep(attempt: Attempt) -> None:
        attempts.append(attempt)

    async with Endpoints() as endpoints:
        endpoint = await endpoints.open(EndpointSpec(address=server.endpoint("agent"), price=own))
        await chat(endpoint, ASKED, timeout=10, on_attempt=keep)
    return attempts


@pytest.mark.anyio
async def test_each_attempt_says_what_it_cost() -> None:
    script = ScriptedModel(sub_agent(faults.cut()), anyone("12"))
    async with LoopbackServer(script) as server:
        cut, whole = await attempts_of(server, PRICE)
        assert (cut.usage.unknown, cut.cost) == (1, None)
        assert whole.cost == PRICE.of(whole.usage)
        assert Attempt.model_validate_json(whole.model_dump_json()) == whole
        (unpriced,) = await attempts_of(server, None)
        assert unpriced.cost is None
