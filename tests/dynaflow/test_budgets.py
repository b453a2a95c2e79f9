"""Budgets: the tree of scopes by itself, and the purse that pays one speaker's requests from it."""

from __future__ import annotations

from decimal import Decimal

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynaflow.budgets import LEAST_REPLY_TOKENS, Amount, Need, Reservation, Scope, Tariff, reserve
from dynaflow.errors import BudgetExceeded, PriceUnknown
from dynaflow.spending import Purse
from subagents import Allowance, Attempt, ChatRequest, Message, Sampling, TokenUsage
from subagents.messages import UNKNOWN_USAGE

pytestmark = pytest.mark.anyio
CENT = Decimal("0.000001")


def by_token(usage: TokenUsage) -> Decimal:
    return usage.total * CENT


def unpriced(usage: TokenUsage) -> None:
    return None


PRICED = Tariff("priced", by_token)


def need(scope: Scope, *, prompt: int = 100, reply: int = 200, calls: int = 1, **more: object) -> Need:
    return Need(scope, PRICED, prompt, reply, calls, **more)


def fits(scope: Scope) -> bool:
    taken, limits = scope.taken, scope.allowance
    return (
        (limits.calls is None or taken.calls <= limits.calls)
        and (limits.tokens is None or taken.tokens <= limits.tokens)
        and (limits.usd is None or taken.usd <= limits.usd)
    )


allowances = st.builds(
    Allowance,
    calls=st.none() | st.integers(0, 40),
    tokens=st.none() | st.integers(0, 20_000),
    usd=st.none() | st.decimals(0, Decimal("0.02"), places=6),
)


@st.composite
def trees(draw: st.DrawFn) -> list[Scope]:
    """Scopes, each within an earlier one."""
    scopes = [Scope("root", draw(allowances))]
    for number in range(draw(st.integers(0, 6))):
        scopes.append(draw(st.sampled_from(scopes)).child(f"scope {number}", draw(allowances)))
    return scopes


def batches(scopes: list[Scope]) -> st.SearchStrategy[list[Need]]:
    one = st.builds(
        lambda scope, prompt, reply, calls: need(scope, prompt=prompt, reply=reply, calls=calls),
        st.sampled_from(scopes), st.integers(0, 2_000), st.integers(0, 3_000), st.integers(0, 1),
    )  # fmt: skip
    return st.lists(one, min_size=1, max_size=8)


def ended(draw: st.DrawFn, held: Reservation) -> None:
    """A request ends in one of the ways in which it can: never sent, unknown, or with at most what was reserved."""
    match draw(st.sampled_from(["release", "unknown", "unpriced", "known"])):
        case "release":
            held.release()
        case "unknown":
            held.settle(draw(st.sampled_from([None, UNKNOWN_USAGE])), None)
        case how:
            usage = TokenUsage(prompt=draw(st.integers(0, held.amount.tokens)))
            held.settle(usage, None if how == "unpriced" else min(by_token(usage), held.amount.usd))


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_no_interleaving_carries_a_scope_over_its_limits(data: st.DataObject) -> None:
    scopes = data.draw(trees())
    children = {scope: [child for child in scopes if child.path[1:2] == (scope,)] for scope in scopes}
    held: list[Reservation] = []
    for _ in range(data.draw(st.integers(1, 15))):
        if held and data.draw(st.booleans()):
            ended(data.draw, held.pop(data.draw(st.integers(0, len(held) - 1))))
        else:
            before = [(scope.used, scope.reserved, scope.unknown) for scope in scopes]
            try:
                held += reserve(data.draw(batches(scopes)))
            except BudgetExceeded:
                assert before == [(scope.used, scope.reserved, scope.unknown) for scope in scopes]
        assert all(map(fits, scopes))
        for scope, inner in children.items():
            below = sum((child.taken for child in inner), Amount())
            assert below.calls <= scope.taken.calls
            assert below.tokens <= scope.taken.tokens
            assert below.usd <= scope.taken.usd
    for reservation in held:
        reservation.release()
    assert all(scope.reserved == Amount() for scope in scopes)


@settings(max_examples=100, deadline=None)
@given(
    fan_outs=st.lists(st.integers(0, 1_000), min_size=1, max_size=5),
    limits=st.builds(
        Allowance,
        calls=st.none() | st.integers(0, 1_500),
        tokens=st.none() | st.integers(0, 600_000),
        usd=st.none() | st.decimals(0, 1, places=4),
    ),
)
def test_any_fan_out_is_dispatched_whole_within_the_limits_or_not_at_all(
    fan_outs: list[int], limits: Allowance
) -> None:
    run = Scope("the run", limits)
    agents = [run.child("one"), run.child("other")]
    dispatched = 0
    for fan_out in fan_outs:
        batch = [need(agents[number % 2]) for number in range(fan_out)]
        try:
            taken = reserve(batch)
        except BudgetExceeded:
            taken = []
        assert len(taken) in (0, fan_out)
        dispatched += len(taken)
        for number, reservation in enumerate(taken):
            if number % 2:
                reservation.settle(TokenUsage(prompt=100, completion=200), 300 * CENT)
        assert run.taken.calls == dispatched
        assert fits(run)


def test_a_refusal_says_which_limit_of_which_scope_and_what_to_do() -> None:
    run = Scope("the run", Allowance(calls=9))
    solver = run.child("agent 'solver'")
    first, *_ = reserve([need(solver)] * 3)
    first.settle(TokenUsage(prompt=1), Decimal(0))
    with pytest.raises(BudgetExceeded) as refused:
        reserve([need(solver)] * 7)
    error = refused.value
    assert (error.scope, error.limit, error.value) == ("the run", "calls", 9)
    assert (error.used, error.reserved, error.asked) == (1, 2, 7)
    assert str(error) == (
        "the budget of the run allows 9 calls; 1 are used, 2 are reserved for calls in flight, and 7 more were asked "
        "for: ask for at most 6 more, or return what there is"
    )


def test_the_tightest_scope_decides_whatever_an_inner_one_allows() -> None:
    run = Scope("the run", Allowance(tokens=1_000))
    wide = run.child("the workflow", Allowance(tokens=50_000))
    with pytest.raises(BudgetExceeded, match="the budget of the run allows 1,000 tokens"):
        reserve([need(wide, prompt=900)])
    assert wide.left().tokens == 1_000


def test_replies_are_shortened_alike_but_never_below_what_is_of_use() -> None:
    scope = Scope("the run", Allowance(tokens=2_000))
    (one,) = reserve([need(scope, prompt=500, reply=4_096)])
    assert one.reply_tokens == 1_024
    one.release()
    two = reserve([need(scope, prompt=500, reply=4_096), need(scope, prompt=500, reply=300)])
    assert [reservation.reply_tokens for reservation in two] == [512, 300]
    for reservation in two:
        reservation.release()
    with pytest.raises(BudgetExceeded) as refused:
        reserve([need(scope, prompt=1_800, reply=4_096)])
    assert refused.value.asked == 1_800 + LEAST_REPLY_TOKENS
    with pytest.raises(BudgetExceeded):
        reserve([need(scope, prompt=500, reply=1_600, fixed=True)])


def test_what_nobody_reports_stays_taken_and_is_counted() -> None:
    run = Scope("the run", Allowance(tokens=1_000, usd=Decimal(1)))
    for usage, cost in ((UNKNOWN_USAGE, None), (None, None), (TokenUsage(prompt=7), None)):
        (reservation,) = reserve([need(run, prompt=100, reply=100)])
        reservation.settle(usage, cost)
    assert (run.used, run.unknown) == (Amount(3, 7), Amount(0, 400, 600 * CENT))
    assert (run.unmetered, run.unpriced, run.cost) == (2, 3, None)


def test_the_cost_is_known_where_every_price_is() -> None:
    run = Scope("the run")
    for tokens in (300, 200):
        (reservation,) = reserve([need(run)])
        reservation.settle(TokenUsage(prompt=tokens), tokens * CENT)
    assert run.cost == Decimal("0.0005")


def test_a_reservation_ends_once() -> None:
    (reservation,) = reserve([need(Scope("the run"))])
    reservation.settle(None, None)
    for again in (reservation.release, lambda: reservation.settle(None, None)):
        with pytest.raises(RuntimeError, match="twice"):
            again()


def test_more_than_was_estimated_is_counted_and_ends_what_follows() -> None:
    run = Scope("the run", Allowance(tokens=1_000))
    (reservation,) = reserve([need(run)])
    reservation.settle(TokenUsage(prompt=1_200), None)
    assert (run.taken.tokens, run.left().tokens) == (1_200, 0)
    with pytest.raises(BudgetExceeded, match="1,200 are used"):
        reserve([need(run, prompt=1, reply=0)])


def test_money_needs_a_price_and_only_where_it_is_limited() -> None:
    free, limited = Scope("the run"), Scope("the run", Allowance(usd=Decimal("0.5")))
    (reservation,) = reserve([Need(free, Tariff("m", unpriced), 10, 10)])
    reservation.settle(TokenUsage(prompt=10), None)
    assert free.unpriced == 1
    with pytest.raises(PriceUnknown, match=r"0\.5 US dollars, and the price of 'm' is not known: give its price"):
        reserve([Need(limited, Tariff("m", unpriced), 10, 10)])
    assert limited.taken == Amount()


def test_what_was_used_before_a_resumption_counts() -> None:
    run = Scope("the run", Allowance(calls=3))
    run.child("the workflow").charge(Amount(2, 50))
    with pytest.raises(BudgetExceeded, match="2 are used, and 2 more"):
        reserve([need(run)] * 2)


async def test_calls_in_flight_wait_their_turn() -> None:
    run = Scope("the run", Allowance(concurrency=2))
    solver = run.child("agent", Allowance(concurrency=1))
    out, most, order = 0, 0, []

    async def call(scope: Scope, number: int) -> None:
        nonlocal out, most
        async with scope.in_flight():
            out, most = out + 1, max(most, out + 1)
            order.append(number)
            await anyio.lowlevel.checkpoint()
            out -= 1

    async with anyio.create_task_group() as group:
        for number in range(6):
            group.start_soon(call, run, number)
    assert (most, order) == (2, list(range(6)))
    most = 0
    async with anyio.create_task_group() as group:
        for number in range(6):
            group.start_soon(call, solver, number)
    assert (most, order[6:]) == (1, list(range(6)))


async def test_who_is_cancelled_while_it_waits_takes_no_place() -> None:
    run = Scope("the run", Allowance(concurrency=1))
    async with run.in_flight():
        with anyio.move_on_after(0.01):
            async with run.in_flight():
                pytest.fail("there was no place")
    async with run.in_flight():
        pass


async def test_a_deadline_cancels_what_runs_inside_and_says_whose_it_was() -> None:
    run = Scope("the run", Allowance(seconds=100))
    agent = run.child("the workflow", Allowance(seconds=0.01)).child("agent 'solver'")
    with pytest.raises(BudgetExceeded) as refused, agent.within_time(below=run):
        await anyio.sleep_forever()
    assert (refused.value.limit, refused.value.scope) == ("seconds", "the workflow")
    assert agent.remaining() == 0
    assert 0 < (run.remaining() or 0) <= 100
    assert run.child("x").remaining(below=run) is None
    for late in (agent.check_time, lambda: reserve([need(agent)])):
        with pytest.raises(BudgetExceeded, match="return what there is"):
            late()


def test_a_retry_is_paid_like_the_first_attempt() -> None:
    run = Scope("the run", Allowance(tokens=700))
    purse = Purse(run, PRICED)
    request = ChatRequest(messages=(Message(role="user", content="x" * 40),), sampling=Sampling(max_tokens=1_000))
    assert purse.asking(request, PRICED).sampling.max_tokens == 500
    cut = Attempt(endpoint="e", seconds=0, usage=UNKNOWN_USAGE, outcome="failed", cause="cut", retry_after=0)
    with pytest.raises(BudgetExceeded):
        purse.attempted(cut)
    purse.close()
    assert (run.reserved.tokens, run.unmetered, run.unknown.tokens) == (0, 1, 518)
    refused = cut.model_copy(update={"usage": TokenUsage(), "cause": "429"})
    other = Purse(Scope("the run", Allowance(tokens=700)), PRICED)
    other.asking(request, PRICED)
    other.attempted(refused)
    other.close()


def test_an_endpoint_that_stands_in_is_reserved_for_at_its_own_price() -> None:
    run = Scope("the run", Allowance(usd=Decimal("0.01"), calls=1))
    purse = Purse(run, PRICED)
    request = ChatRequest(messages=(Message(role="user", content="x" * 40),), sampling=Sampling(max_tokens=300))
    purse.hold(*reserve([purse.need(request.messages, 300, calls=1)]))
    assert run.reserved == Amount(1, 318, 318 * CENT)
    purse.asking(request, Tariff("dear", lambda usage: usage.total * CENT * 20))
    assert run.reserved == Amount(1, 318, 318 * CENT * 20)
    cost = CENT * 2000
    purse.attempted(Attempt(endpoint="e", seconds=0, usage=TokenUsage(prompt=100), cost=cost, outcome="ok"))
    assert (run.used, run.reserved) == (Amount(1, 100, CENT * 2000), Amount())


def test_a_call_that_never_leaves_gives_back_what_it_held() -> None:
    run = Scope("the run")
    purse = Purse(run, PRICED)
    purse.hold(*reserve([purse.need((), 300, calls=1)]))
    purse.close()
    purse.close()
    assert run.taken == Amount()
