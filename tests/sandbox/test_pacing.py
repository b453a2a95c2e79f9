"""A paced program says each time that it waits, so that what it was sent can be sent to it again in the same order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from random import Random

import anyio
import pytest

from sandbox import Reply, Request, Setting, ZygoteSandbox
from tests.sandbox.doors import CONTRACT

pytestmark = pytest.mark.anyio

PROGRAM = """
import asyncio
order = []
async def branch(name):
    first = await ask("solver", name)
    order.append(first)
    try:
        second = await asyncio.wait_for(ask("critic", f"{name} after {len(order)}"), 0.02)
        order.append(second)
    except TimeoutError:
        order.append(f"{name} late")
        order.append(await ask("writer", f"{name} at {len(order)}"))
await gather(*(branch(n) for n in "abcdef"))
return order
"""


class Recorder:
    """Answers each request after a random time, and remembers in which order it did; deadlines too."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self.sent: list[tuple[str, int]] = []

    def admit(self, batch: Sequence[Request]) -> Sequence[Callable[[], Awaitable[Reply]]]:
        return [self._serving(request, self._random.uniform(0, 0.03)) for request in batch]

    def _serving(self, request: Request, seconds: float) -> Callable[[], Awaitable[Reply]]:
        async def serve() -> Reply:
            await anyio.sleep(seconds)
            self.sent.append(("call", request.call))
            return Reply(f"{request.call}: {request.arguments['instruction']}")

        return serve

    def deadline(self, number: int, seconds: float) -> Callable[[], Awaitable[None]]:
        async def over() -> None:
            await anyio.sleep(seconds)
            self.sent.append(("deadline", number))

        return over

    def waiting(self, outstanding: Collection[int]) -> None:
        raise AssertionError("this program is not paced")


class Repeater:
    """Answers at once, each time that the program waits: what had been sent first of all that it now waits for."""

    def __init__(self, sent: list[tuple[str, int]]) -> None:
        self._rank = {entry: number for number, entry in enumerate(sent)}
        self._held: dict[tuple[str, int], anyio.Event] = {}

    def admit(self, batch: Sequence[Request]) -> Sequence[Callable[[], Awaitable[Reply]]]:
        return [self._serving(request) for request in batch]

    def _serving(self, request: Request) -> Callable[[], Awaitable[Reply]]:
        held = self._hold(("call", request.call))

        async def serve() -> Reply:
            await held.wait()
            return Reply(f"{request.call}: {request.arguments['instruction']}")

        return serve

    def deadline(self, number: int, seconds: float) -> Callable[[], Awaitable[None]]:
        return self._hold(("deadline", number)).wait

    def waiting(self, outstanding: Collection[int]) -> None:
        known = [
            (kind, number)
            for kind, number in self._held
            if (kind, number) in self._rank and (kind == "deadline" or number in outstanding)
        ]
        if known:
            self._held.pop(min(known, key=self._rank.__getitem__)).set()

    def _hold(self, entry: tuple[str, int]) -> anyio.Event:
        return self._held.setdefault(entry, anyio.Event())


@pytest.mark.parametrize("seed", range(8))
async def test_what_is_sent_in_the_recorded_order_is_taken_alike(sandbox: ZygoteSandbox, seed: int) -> None:
    recorder = Recorder(seed)
    first = await sandbox.run(PROGRAM, CONTRACT, recorder)
    assert first.error is None, str(first.error)
    again = await sandbox.run(PROGRAM, CONTRACT, Repeater(recorder.sent), setting=Setting(paced=True))
    assert again.error is None, str(again.error)
    assert again.value == first.value


async def test_a_program_that_is_not_paced_says_nothing(sandbox: ZygoteSandbox) -> None:
    outcome = await sandbox.run("return ask('solver', 'x') + '!'", CONTRACT, Recorder(0))
    assert outcome.value == "1: x!"
