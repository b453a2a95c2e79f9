"""The deterministic scheduler: branches of a program as greenlets, one reply at a time.

A branch runs until it needs a value that is not there yet; then it parks and the next ready branch goes on.
When no branch can go on the program is *quiescent*: what was registered since the last time leaves as one
batch, then exactly one message of the host is taken in, and whoever waited for it becomes ready. So a program
is a function of the replies and of their order. Time is virtual: it moves, to the next timer, only when nothing
is outstanding. There are no threads and there is no event loop.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from typing import Protocol

from greenlet import getcurrent, greenlet

PARKS_PER_CHECK = 16


class Port(Protocol):
    """The scheduler's way out of the process."""

    def flush(self) -> None:
        """Send what was registered since the last flush, as one batch."""
        ...

    @property
    def outstanding(self) -> int:
        """How many messages of the host are still to come."""
        ...

    def take(self) -> None:
        """Wait for one message of the host and settle what it answers."""
        ...

    def check_memory(self) -> None:
        """End the program if there is too little memory left to put a branch aside."""
        ...


class BranchCancelled(BaseException):
    """Thrown into a branch that is to end; no program can catch it."""


class Deadlock(BaseException):
    """Nothing can wake the program any more."""


class Branch(greenlet):
    """One strand of a program. `path` is its place in the tree of branches, e.g. `0.2.1`."""

    path: str
    children: int
    line: int | None


class Scheduler:
    """Runs the branches of one program."""

    def __init__(self, port: Port) -> None:
        self._port = port
        self._ready: deque[tuple[Branch, BaseException | None]] = deque()
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._timer_count = 0
        self._serials = 0
        self._parks = 0
        self._hub = getcurrent()
        self.time = 0.0
        """Virtual time, in Unix seconds; it starts with the run."""
        self.root: Branch | None = None

    @property
    def current(self) -> Branch:
        """The branch that is running."""
        branch = getcurrent()
        assert isinstance(branch, Branch), "no branch is running"
        return branch

    @property
    def others_ready(self) -> bool:
        """Whether another branch can go on right now."""
        return bool(self._ready)

    def serial(self) -> int:
        """Numbers tasks and coroutines in the order in which they are made."""
        self._serials += 1
        return self._serials

    def spawn(self, body: Callable[[], None]) -> Branch:
        """A new branch, ready to run `body`. `body` must not raise."""
        parent = getcurrent()
        branch = Branch(body, self._hub)
        branch.children = 0
        branch.line = None
        if isinstance(parent, Branch):
            branch.path = f"{parent.path}.{parent.children}"
            parent.children += 1
        else:
            branch.path = "0"
        self._ready.append((branch, None))
        return branch

    def park(self) -> None:
        """Leave the current branch until somebody wakes it. Its stack is put aside, which must not fail: it would abort."""
        self._parks += 1
        if self._parks % PARKS_PER_CHECK == 0:
            self._port.check_memory()
        self._hub.switch()

    def wake(self, branch: Branch, error: BaseException | None = None) -> None:
        """Let a parked branch go on, or raise `error` where it parked."""
        self._ready.append((branch, error))

    def pause(self) -> None:
        """Let the other ready branches run first."""
        self.wake(self.current)
        self.park()

    def at(self, moment: float, action: Callable[[], None]) -> Callable[[], None]:
        """Do `action` at a virtual time. Gives the function that takes it back."""
        self._timer_count += 1
        entry = (moment, self._timer_count, action)
        heapq.heappush(self._timers, entry)

        def cancel() -> None:
            if entry in self._timers:
                self._timers.remove(entry)
                heapq.heapify(self._timers)

        return cancel

    def run(self, body: Callable[[], None]) -> None:
        """Run `body` as the root branch until it ends. Raises `Deadlock` if that can never be."""
        root = self.root = self.spawn(body)
        while not root.dead:
            if self._ready:
                self._step(*self._ready.popleft())
            else:
                self._advance()

    def _step(self, branch: Branch, error: BaseException | None) -> None:
        if branch.dead:
            return
        if error is None:
            branch.switch()
        else:
            branch.throw(error)

    def _advance(self) -> None:
        self._port.flush()
        if self._ready:
            return
        if self._port.outstanding:
            self._port.take()
        elif self._timers:
            moment, _, action = heapq.heappop(self._timers)
            self.time = max(self.time, moment)
            action()
        else:
            raise Deadlock
