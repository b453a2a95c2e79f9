"""The limiter: what it lets out at once, in which order, and how its limit follows what the endpoint says."""

from __future__ import annotations

import asyncio
import threading
from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subagents.limiter import Limiter

STEPS = st.lists(
    st.one_of(
        st.just("acquire"),
        st.tuples(st.sampled_from(["ok", "overload", "other"]), st.integers(0, 50)),
        st.tuples(st.just("cancel"), st.integers(0, 50)),
        st.tuples(st.just("most"), st.integers(1, 8)),
    ),
    max_size=60,
)


@settings(deadline=None)
@given(STEPS, st.integers(1, 6))
def test_never_more_than_the_limit_and_first_come_first_served(steps: list, initial: int) -> None:
    asyncio.run(_follow(steps, initial))


async def _follow(steps: list, initial: int) -> None:
    limiter = Limiter(initial=initial, most=8)
    asked: deque[int] = deque()  # in the order of asking, without those that went away
    inside: list[int] = []
    tasks: dict[int, asyncio.Task[None]] = {}

    async def enter(number: int) -> None:
        await limiter.acquire()
        assert asked.popleft() == number, "somebody overtook"
        inside.append(number)

    for number, step in enumerate(steps):
        before, limit = len(inside), limiter.limit
        if step == "acquire":
            asked.append(number)
            tasks[number] = asyncio.create_task(enter(number))
        elif step[0] == "most":
            limiter.most = step[1]
        elif step[0] == "cancel" and asked:
            gone = asked[step[1] % len(asked)]
            asked.remove(gone)
            tasks[gone].cancel()
        elif step[0] != "cancel" and inside:
            inside.pop(step[1] % len(inside))
            limiter.release(step[0], began=float("inf"))
            before -= 1
        for _ in range(4):
            await asyncio.sleep(0)
        assert limiter.in_flight == len(inside)
        assert limiter.waiting == len(asked)
        assert 1 <= limiter.limit <= limiter.most
        if len(inside) > before:
            assert len(inside) <= max(limit, limiter.limit), "one went out beyond the limit"
        assert not asked or limiter.in_flight >= limiter.limit, "a slot is free, and somebody waits"
    for task in tasks.values():
        task.cancel()
    await asyncio.gather(*tasks.values(), return_exceptions=True)


def replied(limiter: Limiter, count: int, latency: float | None = 0.1) -> None:
    """So many replies while the limiter is in full use."""
    for _ in range(count):
        limiter.in_flight = limiter.limit
        limiter.release("ok", latency=latency)
    limiter.in_flight = 0


def test_it_grows_by_one_a_reply_until_it_was_too_much_and_then_slowly() -> None:
    limiter = Limiter(initial=4, most=100)
    replied(limiter, 12)
    assert limiter.limit == 16
    limiter.in_flight = 1
    limiter.release("overload", began=0.0)
    assert limiter.limit == 8
    replied(limiter, 9)
    assert limiter.limit == 9


def test_it_does_not_grow_unused_nor_beyond_the_most() -> None:
    limiter = Limiter(initial=4, most=6)
    for _ in range(10):
        limiter.in_flight = 1
        limiter.release("ok", latency=0.1)
    assert limiter.limit == 4
    replied(limiter, 10)
    assert limiter.limit == 6
    limiter.most = 2
    assert limiter.limit == 2


def test_it_holds_still_while_the_latency_has_risen() -> None:
    limiter = Limiter(initial=4, most=1000)
    replied(limiter, 50, latency=0.1)
    grown = limiter.limit
    replied(limiter, 100, latency=0.5)
    assert grown <= limiter.limit < grown + 10  # the smoothed latency takes a few replies to follow
    held = limiter.limit
    replied(limiter, 50, latency=0.1)
    assert limiter.limit > held


def test_requests_that_left_together_halve_it_once() -> None:
    now = [0.0]
    limiter = Limiter(initial=32, clock=lambda: now[0])
    limiter.in_flight = 32
    now[0] = 5.0
    for _ in range(10):
        limiter.release("overload", began=1.0)
    assert limiter.limit == 16
    now[0] = 7.0
    for _ in range(10):
        limiter.release("overload", began=6.0)
    assert limiter.limit == 8
    for began in range(10, 20):
        now[0] = began + 0.5
        limiter.in_flight = 1
        limiter.release("overload", began=began)
    assert limiter.limit == 1


@pytest.mark.anyio
async def test_two_loops_share_it() -> None:
    limiter = Limiter(initial=1)
    await limiter.acquire()
    waits = threading.Thread(target=lambda: asyncio.run(limiter.acquire()))
    waits.start()
    while not limiter.waiting:  # noqa: ASYNC110 - it waits in another thread
        await asyncio.sleep(0.001)
    limiter.release()
    await asyncio.to_thread(waits.join)
    assert (limiter.in_flight, limiter.waiting) == (1, 0)
