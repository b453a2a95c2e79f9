"""A circuit breaker: an endpoint that keeps failing is left alone for a while, then tried with one request.

The states are those of Nygard's pattern ("Release It!", 2007). *Closed*: requests go out, until `IN_A_ROW` of them
have failed one after the other, or `SHARE` of the last `LAST`. *Open*: none goes out, for a time that doubles with
every probe that fails. *Half-open*: that time is over, and the next request is the probe; while it is under way no
other goes out. If it comes back the breaker closes, if it fails it opens again.

A request is admitted with a ticket and reports with it. One that left before the state changed reports in vain, so
that late answers neither close an open breaker nor open one that has just closed.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Literal

IN_A_ROW = 5
LAST = 20
SHARE = 0.5
FIRST_SECONDS = 1.0
MOST_SECONDS = 60.0

State = Literal["closed", "open", "half-open"]


class Breaker:
    """The breaker of one endpoint."""

    def __init__(self, *, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._ticket = 0
        self._results: deque[bool] = deque(maxlen=LAST)
        self._in_a_row = 0
        self._since: float | None = None
        """When it opened; None while it is closed."""
        self._until = 0.0
        self._seconds = FIRST_SECONDS
        self._probing = False
        self._why = ""

    @property
    def state(self) -> State:
        """What the next request would find."""
        if self._since is None:
            return "closed"
        return "half-open" if self._clock() >= self._until else "open"

    @property
    def allows(self) -> bool:
        """Whether a request would be admitted now."""
        return self.state == "closed" or (self.state == "half-open" and not self._probing)

    @property
    def seconds_left(self) -> float:
        """Until the next probe may go; 0 where a request would be admitted, or where the probe is under way."""
        return 0.0 if self._since is None else max(0.0, self._until - self._clock())

    def admit(self) -> int | None:
        """The ticket of a request that may go out now; None is a refusal."""
        with self._lock:
            if not self.allows:
                return None
            if self._since is not None:
                self._probing = True
            return self._ticket

    def succeeded(self, ticket: int) -> None:
        """The request came back with an answer, be it a refusal: somebody is there."""
        with self._lock:
            if ticket == self._ticket:
                self._close() if self._since is not None else self._count(failed=False)

    def failed(self, ticket: int, why: str) -> None:
        """The request brought no answer, for a cause that may pass."""
        with self._lock:
            if ticket != self._ticket:
                return
            self._why = why
            if self._since is not None:
                self._open(self._since, self._seconds * 2)
                return
            self._count(failed=True)
            many = len(self._results) == LAST and sum(self._results) >= SHARE * LAST
            if self._in_a_row >= IN_A_ROW or many:
                self._open(self._clock(), FIRST_SECONDS)

    def abandoned(self, ticket: int) -> None:
        """The request was given up before anything came of it; a probe's place is free again."""
        with self._lock:
            if ticket == self._ticket:
                self._probing = False

    def trip(self, why: str) -> None:
        """Open it: that nobody is there was found out in another way than by a request."""
        with self._lock:
            self._why = why
            self._open(self._clock() if self._since is None else self._since, self._seconds)

    def reset(self) -> None:
        """Close it: that somebody is there was found out in another way than by a request."""
        with self._lock:
            if self._since is not None:
                self._close()

    def told(self) -> str:
        """Since when it is open, why, and when the next probe goes."""
        if self._since is None:
            return "the endpoint is in use"
        since = datetime.now(UTC) - timedelta(seconds=self._clock() - self._since)
        probe = (
            f"the next probe goes in {self.seconds_left:.1f} seconds" if self.seconds_left else "a probe is under way"
        )
        return f"it has kept failing since {since:%H:%M:%S} UTC ({self._why}); {probe}"

    def _count(self, *, failed: bool) -> None:
        self._results.append(failed)
        self._in_a_row = self._in_a_row + 1 if failed else 0

    def _open(self, since: float, seconds: float) -> None:
        self._since, self._seconds = since, min(seconds, MOST_SECONDS)
        self._until = self._clock() + self._seconds
        self._changed()

    def _close(self) -> None:
        self._since, self._seconds = None, FIRST_SECONDS
        self._changed()

    def _changed(self) -> None:
        self._ticket += 1
        self._probing = False
        self._results.clear()
        self._in_a_row = 0
