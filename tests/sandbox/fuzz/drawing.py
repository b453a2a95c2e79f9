"""Draws examples of a strategy, and notes what became of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import anyio
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
CHUNK = 250
SIDE_BY_SIDE = 4


@dataclass
class Report:
    """How many of everything there were; `findings` is what must not be."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)


def drawn(strategy: SearchStrategy[T], count: int, number: int) -> list[T]:
    """`count` examples at most: fewer if the strategy has no more."""
    found: list[T] = []

    @seed(number)
    @settings(
        max_examples=count, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy)
    def take(example: T) -> None:
        found.append(example)

    take()
    return found


def chunks(strategy: SearchStrategy[T], number: int) -> Iterator[list[T]]:
    """Examples without end, a chunk at a time: Hypothesis remembers all that it has drawn in one go."""
    while True:
        yield drawn(strategy, CHUNK, number)
        number += 1


async def side_by_side(function: Callable[[T], Awaitable[None]], things: list[T]) -> None:
    """Call the function with each thing, a few at a time."""
    waiting = iter(things)

    async def work() -> None:
        for thing in waiting:
            await function(thing)

    async with anyio.create_task_group() as group:
        for _ in range(SIDE_BY_SIDE):
            group.start_soon(work)
