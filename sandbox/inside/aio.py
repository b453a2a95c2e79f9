"""The facades of `asyncio` and `concurrent.futures`: the same names as the real modules, over our scheduler."""

from __future__ import annotations

import math
from collections.abc import Callable

from sandbox.inside.concurrency import CancelledError, Concurrency, InvalidStateError
from sandbox.inside.deferred import Coroutine, Deferred, Task, error_of, resolve, settle, settled, wait
from sandbox.inside.facades.facade import Facade
from sandbox.inside.primitives import (
    Event,
    Executor,
    LifoQueue,
    PriorityQueue,
    Queue,
    QueueEmpty,
    QueueFull,
    Semaphore,
    TaskGroup,
    Timeout,
)

AWARE_TYPES = (Semaphore, Event, Queue, TaskGroup, Timeout, Executor)
"""Objects whose methods work with handles themselves."""


class Loop:
    """What `asyncio.get_event_loop()` gives: enough for programs that insist on a loop."""

    def __init__(self, concurrency: Concurrency) -> None:
        self._concurrency = concurrency

    def run_until_complete(self, thing: object) -> object:
        return resolve(thing)

    def create_task(self, thing: object, *, name: object = None) -> Deferred:
        return self._concurrency.ensure(thing)

    def create_future(self) -> Deferred:
        return Deferred(self._concurrency.scheduler)

    def run_in_executor(self, executor: object, function: Callable[..., object], *args: object) -> Task:
        return self._concurrency.submit(function, *args)

    def time(self) -> float:
        return self._concurrency.scheduler.time

    def close(self) -> None:
        """Nothing to close."""


def asyncio_facade(concurrency: Concurrency) -> Facade:
    """The `asyncio` of a program."""
    loop = Loop(concurrency)

    def run(thing: object, *, debug: object = None) -> object:
        return resolve(thing)

    def sleep(delay: float, result: object = None) -> Coroutine:
        def body() -> object:
            seconds = float(resolve(delay))  # type: ignore[arg-type]
            if not 0 <= seconds < math.inf:
                raise ValueError(f"cannot sleep for {seconds!r} seconds")
            concurrency.sleep(seconds)
            return result

        return concurrency.coroutine(body)

    def create_task(thing: object, *, name: object = None, context: object = None) -> Deferred:
        return concurrency.ensure(thing)

    def wait_many(things: object, *, timeout: float | None = None, return_when: str = "ALL_COMPLETED") -> Coroutine:
        started = [concurrency.ensure(thing) for thing in things]  # type: ignore[attr-defined]
        return concurrency.coroutine(lambda: _sorted_out(concurrency, started, timeout, return_when))

    members: dict[str, object] = {
        "run": run,
        "sleep": sleep,
        "create_task": create_task,
        "ensure_future": create_task,
        "gather": concurrency.gather,
        "wait": wait_many,
        "wait_for": concurrency.wait_for,
        "as_completed": concurrency.as_completed,
        "shield": lambda thing: concurrency.ensure(thing),
        "to_thread": lambda function, *args, **kwargs: concurrency.submit(function, *args, **kwargs),
        "timeout": lambda delay: Timeout(concurrency, delay),
        "Semaphore": lambda value=1: Semaphore(concurrency, value),
        "BoundedSemaphore": lambda value=1: Semaphore(concurrency, value),
        "Lock": lambda: Semaphore(concurrency, 1),
        "Event": lambda: Event(concurrency),
        "Queue": lambda maxsize=0: Queue(concurrency, maxsize),
        "PriorityQueue": lambda maxsize=0: PriorityQueue(concurrency, maxsize),
        "LifoQueue": lambda maxsize=0: LifoQueue(concurrency, maxsize),
        "QueueEmpty": QueueEmpty,
        "QueueFull": QueueFull,
        "TaskGroup": lambda: TaskGroup(concurrency),
        "get_event_loop": lambda: loop,
        "get_running_loop": lambda: loop,
        "new_event_loop": lambda: loop,
        "set_event_loop": lambda _: None,
        "iscoroutine": lambda thing: isinstance(thing, Coroutine),
        "TimeoutError": TimeoutError,
        "CancelledError": CancelledError,
        "InvalidStateError": InvalidStateError,
        "iscoroutinefunction": lambda function: callable(function) and concurrency.makes_coroutines(function),
        **_SHARED,
        "Task": _named("Task"),
        "Future": _named("Future", loop.create_future),
    }
    return Facade("asyncio", members)


def futures_facade(concurrency: Concurrency) -> Facade:
    """The `concurrent.futures` of a program."""

    def executor(max_workers: object = None, **_: object) -> Executor:
        return Executor(concurrency)

    def wait_many(things: object, timeout: float | None = None, return_when: str = "ALL_COMPLETED") -> object:
        return wait(asyncio_wait(things, timeout=timeout, return_when=return_when))  # type: ignore[arg-type]

    asyncio_wait: Callable[..., object] = asyncio_facade(concurrency)._members["wait"]  # type: ignore[assignment]
    members: dict[str, object] = {
        "ThreadPoolExecutor": executor,
        "ProcessPoolExecutor": executor,
        "as_completed": concurrency.as_completed,
        "wait": wait_many,
        "TimeoutError": TimeoutError,
        "CancelledError": CancelledError,
        **_SHARED,
        "Future": _named("Future"),
    }
    return Facade("concurrent.futures", members)


_SHARED = {name: name for name in ("FIRST_COMPLETED", "FIRST_EXCEPTION", "ALL_COMPLETED")}


def _sorted_out(
    concurrency: Concurrency, started: list[Deferred], timeout: float | None, return_when: str
) -> tuple[list[Deferred], list[Deferred]]:
    """Wait for as many as `return_when` says, at most `timeout` seconds; gives those that are over and the others."""

    def enough() -> bool:
        over = [deferred for deferred in started if settled(deferred)]
        failed = return_when == "FIRST_EXCEPTION" and any(error_of(deferred) is not None for deferred in over)
        return failed or len(over) == len(started) or (return_when == "FIRST_COMPLETED" and bool(over))

    alarm = Deferred(concurrency.scheduler)
    lift = None if timeout is None else concurrency.calls.deadline(timeout, lambda: settle(alarm))
    while not enough() and not settled(alarm):
        concurrency.first([deferred for deferred in [*started, alarm] if not settled(deferred)])
    if lift is not None:
        lift()
    done = [deferred for deferred in started if settled(deferred)]
    return done, [deferred for deferred in started if not settled(deferred)]


def _named(name: str, make: Callable[[], object] | None = None) -> type:
    """A type to annotate with; calling it gives what `make` gives."""

    def new(cls: type, *, loop: object = None) -> object:
        if make is None:
            raise TypeError(f"a {name} is made by create_task(), submit() or ask(), not by its class")
        return make()

    return type(name, (), {"__new__": new, "__class_getitem__": classmethod(lambda cls, _: cls)})
