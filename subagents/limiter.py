"""How many requests an endpoint is given at once: found out while it is used, and kept fair.

Additive increase, multiplicative decrease, as TCP finds the rate of a path (Chiu and Jain 1989, "Analysis of the
Increase and Decrease Algorithms for Congestion Avoidance"; slow start of Jacobson 1988): the limit grows by one for
each reply until it was too much once, afterwards by one for each limit's worth of replies; it is halved when the
endpoint says 429 or is overloaded, at most once for the requests that left before. It grows only while it is used and
while the latency holds, that is while the smoothed time to the first piece of a reply stays within `TOLERANCE` times
the least that it was lately; that is the signal of TCP Vegas (Brakmo and Peterson 1995, "TCP Vegas: End to End
Congestion Avoidance on a Global Internet") and of the gradient limits of Netflix's concurrency-limits library. Latency
alone never lowers the limit, because a long prompt is slow without any queue.

Whoever finds no slot waits in a queue, first come, first served; nobody overtakes. The state belongs to no event
loop, so that all runs of a process share it.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Literal

import anyio

INITIAL = 32
MOST = 512
TOLERANCE = 2.0
_SMOOTHING = 0.1
"""Share of the newest latency in the smoothed one."""
_WINDOW = 500
"""Replies after which the least latency is found anew: an endpoint may move, or its model change."""

Outcome = Literal["ok", "overload", "other"]
"""Of a request: answered, too much for the endpoint, or something that says nothing of its load."""


@dataclass(slots=True)
class _Waiter:
    loop: asyncio.AbstractEventLoop
    turn: asyncio.Event
    has_slot: bool = False


class Limiter:
    """The slots of one endpoint."""

    def __init__(self, *, initial: int = INITIAL, most: int = MOST, clock: Callable[[], float] = monotonic) -> None:
        self._most = max(1, most)
        self._limit = float(min(max(1, initial), self._most))
        self._clock = clock
        self._lock = threading.Lock()
        self._queue: deque[_Waiter] = deque()
        self._starting = True
        self._lowered_at = float("-inf")
        self._latency = _Latency()
        self.in_flight = 0

    @property
    def limit(self) -> int:
        """Requests at once."""
        return int(self._limit)

    @property
    def waiting(self) -> int:
        """Requests in the queue."""
        return len(self._queue)

    @property
    def most(self) -> int:
        """What the limit never grows beyond; setting it lowers the limit at once where it is higher."""
        return self._most

    @most.setter
    def most(self, most: int) -> None:
        with self._lock:
            self._most = max(1, most)
            self._limit = min(self._limit, float(self._most))
            self._hand_out()

    async def acquire(self, timeout: float | None = None) -> None:
        """Take a slot, waiting for one in the queue. Raises TimeoutError after so many seconds."""
        with self._lock:
            if not self._queue and self.in_flight < self.limit:
                self.in_flight += 1
                return
            waiter = _Waiter(asyncio.get_running_loop(), asyncio.Event())
            self._queue.append(waiter)
        try:
            with anyio.fail_after(timeout):
                await waiter.turn.wait()
        except BaseException:
            self._leave(waiter)
            raise

    def release(self, outcome: Outcome = "other", *, began: float = 0.0, latency: float | None = None) -> None:
        """Give a slot back.

        began: when the request left, on the limiter's clock. latency: seconds until the first piece of its reply.
        """
        with self._lock:
            if outcome == "ok":
                self._grow(latency)
            elif outcome == "overload" and began > self._lowered_at:
                self._lower()
            self.in_flight -= 1
            self._hand_out()

    def _grow(self, latency: float | None) -> None:
        holds = latency is None or self._latency.holds(latency)
        if holds and self.in_flight >= self.limit - 1:
            step = 1.0 if self._starting else 1.0 / self._limit
            self._limit = min(self._limit + step, float(self._most))

    def _lower(self) -> None:
        self._limit = max(1.0, self._limit / 2)
        self._starting = False
        self._lowered_at = self._clock()

    def _hand_out(self) -> None:
        """Give free slots to those who wait longest. The lock is held."""
        while self._queue and self.in_flight < self.limit:
            waiter = self._queue.popleft()
            waiter.has_slot = True
            try:
                waiter.loop.call_soon_threadsafe(waiter.turn.set)
            except RuntimeError:  # its loop was closed under it
                continue
            self.in_flight += 1

    def _leave(self, waiter: _Waiter) -> None:
        """The waiter goes away: out of the queue, or with the slot that it was given in the same moment."""
        with self._lock:
            if waiter.has_slot:
                self.in_flight -= 1
                self._hand_out()
            else:
                self._queue.remove(waiter)


class _Latency:
    """The time to the first piece of a reply: smoothed, and the least that the smoothed one was.

    The least of all single ones would be that of the shortest prompt, or of one that the server had cached.
    """

    def __init__(self) -> None:
        self._smoothed = 0.0
        self._least = self._next_least = float("inf")
        self._seen = 0

    def holds(self, latency: float) -> bool:
        """Take one more, and say whether the endpoint is as quick as it was."""
        self._seen += 1
        self._smoothed += max(_SMOOTHING, 1 / self._seen) * (latency - self._smoothed)
        if self._seen * _SMOOTHING < 1:  # too few to tell
            return True
        self._least, self._next_least = min(self._least, self._smoothed), min(self._next_least, self._smoothed)
        if self._seen % _WINDOW == 0:
            self._least, self._next_least = self._next_least, float("inf")
        return self._smoothed <= TOLERANCE * self._least
