"""What branches coordinate with: semaphores, events, queues, task groups, timeouts and executors.

The same names and methods as in `asyncio` and `concurrent.futures`, over our scheduler. Each can be used with `with` and,
since asynchronous code is compiled away, with `async with`.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from sandbox.inside.concurrency import Concurrency
from sandbox.inside.deferred import Coroutine, Deferred, Task, error_of, resolve, settle, settled, wait, wait_settled
from sandbox.inside.scheduler import BranchCancelled


class QueueEmpty(Exception):
    """`get_nowait` of an empty queue."""


class QueueFull(Exception):
    """Never raised here: putting never waits. Programs name it."""


class Semaphore:
    """At most `value` branches inside at once; usable with `with` and `async with`."""

    def __init__(self, concurrency: Concurrency, value: int = 1) -> None:
        self._concurrency = concurrency
        self._free = int(value)
        self._queue: deque[Deferred] = deque()

    def acquire(self, *_: object) -> Coroutine:
        return self._concurrency.coroutine(self._enter)

    def release(self) -> None:
        while self._queue:
            waiting = self._queue.popleft()
            if not settled(waiting):
                settle(waiting)
                return
        self._free += 1

    def locked(self) -> bool:
        return self._free == 0

    def _enter(self) -> bool:
        if self._free > 0:
            self._free -= 1
            return True
        turn = Deferred(self._concurrency.scheduler)
        self._queue.append(turn)
        try:
            wait_settled(turn)
        except BaseException:
            if settled(turn):
                self.release()
            else:
                settle(turn)
            raise
        return True

    def __enter__(self) -> Semaphore:
        self._enter()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class Event:
    """A flag that branches can wait for."""

    def __init__(self, concurrency: Concurrency) -> None:
        self._concurrency = concurrency
        self._flag = Deferred(concurrency.scheduler)

    def set(self) -> None:
        settle(self._flag, True)

    def clear(self) -> None:
        if settled(self._flag):
            self._flag = Deferred(self._concurrency.scheduler)

    def is_set(self) -> bool:
        return settled(self._flag)

    def wait(self, timeout: float | None = None) -> Deferred:
        return self._concurrency.wait_for(self._flag, timeout)


class Queue:
    """A first-in, first-out queue between branches. Putting never waits: `maxsize` only decides what `full` says."""

    def __init__(self, concurrency: Concurrency, maxsize: int = 0) -> None:
        self._concurrency = concurrency
        self._maxsize = int(maxsize)
        self._items: list[object] = []
        self._getters: deque[Deferred] = deque()
        self._unfinished = 0
        self._finished = Deferred(concurrency.scheduler)
        settle(self._finished)

    def put(self, item: object) -> Coroutine:
        return self._concurrency.coroutine(lambda: self.put_nowait(item))

    def put_nowait(self, item: object) -> None:
        if settled(self._finished):
            self._finished = Deferred(self._concurrency.scheduler)
        self._unfinished += 1
        self._store(item)
        while self._getters:
            getter = self._getters.popleft()
            if not settled(getter):
                settle(getter)
                return

    def get(self) -> Coroutine:
        return self._concurrency.coroutine(self._get)

    def _get(self) -> object:
        while not self._items:
            turn = Deferred(self._concurrency.scheduler)
            self._getters.append(turn)
            try:
                wait_settled(turn)
            except BaseException:
                settle(turn)
                raise
        return self._take()

    def get_nowait(self) -> object:
        if not self._items:
            raise QueueEmpty("the queue is empty")
        return self._take()

    def _store(self, item: object) -> None:
        self._items.append(item)

    def _take(self) -> object:
        return self._items.pop(0)

    def empty(self) -> bool:
        return not self._items

    def full(self) -> bool:
        return 0 < self._maxsize <= len(self._items)

    def qsize(self) -> int:
        return len(self._items)

    def task_done(self) -> None:
        if self._unfinished <= 0:
            raise ValueError("task_done() called too many times")
        self._unfinished -= 1
        if self._unfinished == 0:
            settle(self._finished)

    def join(self) -> Coroutine:
        return self._concurrency.coroutine(lambda: wait_settled(self._finished))


class PriorityQueue(Queue):
    """Gives the smallest item first."""

    def _store(self, item: object) -> None:
        heapq.heappush(self._items, resolve(item))  # type: ignore[type-var]

    def _take(self) -> object:
        return heapq.heappop(self._items)  # type: ignore[type-var]


class LifoQueue(Queue):
    """Gives the latest item first."""

    def _take(self) -> object:
        return self._items.pop()


class TaskGroup:
    """`async with TaskGroup() as group`: leaving the block waits for all; the first failure is then raised."""

    def __init__(self, concurrency: Concurrency) -> None:
        self._concurrency = concurrency
        self._tasks: list[Deferred] = []

    def create_task(self, thing: object, *, name: object = None, context: object = None) -> Deferred:
        deferred = self._concurrency.ensure(thing)
        self._tasks.append(deferred)
        return deferred

    def __enter__(self) -> TaskGroup:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            for deferred in self._tasks:
                self._concurrency.cancel(deferred)
            return
        for deferred in self._tasks:
            wait_settled(deferred)
        for deferred in self._tasks:
            error = error_of(deferred)
            if error is not None:
                raise error


class Timeout:
    """`async with timeout(seconds)`: the block is ended with TimeoutError when the time is over."""

    def __init__(self, concurrency: Concurrency, seconds: float | None) -> None:
        self._concurrency = concurrency
        self._seconds = seconds
        self._lift: Callable[[], None] | None = None
        self._expired = False

    def __enter__(self) -> Timeout:
        branch = self._concurrency.scheduler.current

        def expire() -> None:
            self._expired = True
            self._concurrency.scheduler.wake(branch, BranchCancelled())

        if self._seconds is not None:
            self._lift = self._concurrency.calls.deadline(self._seconds, expire)
        return self

    def __exit__(self, kind: object, error: object, *_: object) -> None:
        if self._lift is not None:
            self._lift()
        if self._expired and isinstance(error, BranchCancelled):
            raise TimeoutError(f"the block took longer than {self._seconds} seconds") from None

    def expired(self) -> bool:
        return self._expired


class Executor:
    """`ThreadPoolExecutor`: what is submitted runs in a branch of its own."""

    def __init__(self, concurrency: Concurrency) -> None:
        self._concurrency = concurrency
        self._tasks: list[Task] = []

    def submit(self, function: Callable[..., object], *args: object, **kwargs: object) -> Task:
        task = self._concurrency.submit(function, *args, **kwargs)
        self._tasks.append(task)
        return task

    def map(self, function: Callable[..., object], *iterables: Iterable[object], **_: object) -> Iterator[object]:
        tasks = [self.submit(function, *args) for args in zip(*iterables, strict=False)]
        return _values(tasks)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        for task in self._tasks:
            wait_settled(task)

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()


def _values(tasks: list[Task]) -> Iterator[object]:
    for task in tasks:
        yield wait(task)
