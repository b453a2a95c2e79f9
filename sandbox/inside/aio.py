"""The facades of `asyncio` and `concurrent.futures`: the same names as the real modules, over our scheduler."""

from __future__ import annotations

from collections.abc import Callable

from sandbox.inside.concurrency import (
    CancelledError,
    Concurrency,
    Event,
    Executor,
    InvalidStateError,
    Queue,
    Semaphore,
    TaskGroup,
    Timeout,
)
from sandbox.inside.deferred import Coroutine, Deferred, Task, resolve, settled, wait, wait_settled
from sandbox.inside.facades.facade import Facade

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

    def run_in_executor(self, executor: object, function: Callable[..., object], *args: object) -> Task:
        return self._concurrency.start(function, *args)

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
            concurrency.sleep(float(resolve(delay)))  # type: ignore[arg-type]
            return result

        return concurrency.coroutine(body)

    def create_task(thing: object, *, name: object = None, context: object = None) -> Deferred:
        return concurrency.ensure(thing)

    def wait_many(things: object, *, timeout: object = None, return_when: str = "ALL_COMPLETED") -> Coroutine:
        started = [concurrency.ensure(thing) for thing in things]  # type: ignore[attr-defined]

        def body() -> object:
            if return_when == "FIRST_COMPLETED":
                concurrency.first(started)
            else:
                for deferred in started:
                    wait_settled(deferred)
            done = [deferred for deferred in started if settled(deferred)]
            return done, [deferred for deferred in started if not settled(deferred)]

        return concurrency.coroutine(body)

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
        "to_thread": lambda function, *args, **kwargs: concurrency.start(function, *args, **kwargs),
        "timeout": lambda delay: Timeout(concurrency, delay),
        "Semaphore": lambda value=1: Semaphore(concurrency, value),
        "BoundedSemaphore": lambda value=1: Semaphore(concurrency, value),
        "Lock": lambda: Semaphore(concurrency, 1),
        "Event": lambda: Event(concurrency),
        "Queue": lambda maxsize=0: Queue(concurrency, maxsize),
        "TaskGroup": lambda: TaskGroup(concurrency),
        "get_event_loop": lambda: loop,
        "get_running_loop": lambda: loop,
        "new_event_loop": lambda: loop,
        "set_event_loop": lambda _: None,
        "iscoroutine": lambda thing: isinstance(thing, Coroutine),
        "TimeoutError": TimeoutError,
        "CancelledError": CancelledError,
        "InvalidStateError": InvalidStateError,
        "FIRST_COMPLETED": "FIRST_COMPLETED",
        "ALL_COMPLETED": "ALL_COMPLETED",
        "Task": Deferred,
        "Future": Deferred,
    }
    return Facade("asyncio", members)


def futures_facade(concurrency: Concurrency) -> Facade:
    """The `concurrent.futures` of a program."""

    def executor(max_workers: object = None, **_: object) -> Executor:
        return Executor(concurrency)

    def wait_many(things: object, timeout: object = None, return_when: str = "ALL_COMPLETED") -> object:
        return wait(asyncio_wait(things, return_when=return_when))  # type: ignore[arg-type]

    asyncio_wait: Callable[..., object] = asyncio_facade(concurrency)._members["wait"]  # type: ignore[assignment]
    members: dict[str, object] = {
        "ThreadPoolExecutor": executor,
        "ProcessPoolExecutor": executor,
        "as_completed": concurrency.as_completed,
        "wait": wait_many,
        "TimeoutError": TimeoutError,
        "CancelledError": CancelledError,
        "Future": Deferred,
        "FIRST_COMPLETED": "FIRST_COMPLETED",
        "ALL_COMPLETED": "ALL_COMPLETED",
    }
    return Facade("concurrent.futures", members)
