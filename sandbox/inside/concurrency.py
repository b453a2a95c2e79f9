"""Running things side by side: `gather`, `parallel`, tasks, deadlines and the usual primitives.

A *thing* is a handle, a coroutine, a function of no arguments, or an `(agent, instruction)` pair. All of it is
built on branches of the scheduler, so async and plain code overlap alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sandbox.inside.calls import Calls
from sandbox.inside.deferred import (
    Coroutine,
    Deferred,
    Handle,
    Task,
    error_of,
    settle,
    settled,
    wait,
    wait_settled,
    when_settled,
)
from sandbox.inside.scheduler import BranchCancelled, Scheduler


class CancelledError(Exception):
    """What waiting for something that was cancelled raises."""


class InvalidStateError(Exception):
    """A result was asked of something that has none yet."""


class Concurrency:
    """What a program can run side by side, over one scheduler."""

    def __init__(
        self,
        scheduler: Scheduler,
        calls: Calls,
        fatal: Callable[[BaseException], None],
    ) -> None:
        self.scheduler = scheduler
        self.calls = calls
        self.pair: Callable[..., object] | None = None
        """What an `(agent, instruction)` pair is handed to."""
        self._fatal = fatal
        self.caller: Callable[..., object] = lambda function, *args, **kwargs: function(*args, **kwargs)
        """How a function of unknown kind is called with arguments: the guards put theirs here."""
        self.async_functions: set[object] = set()

    def start(self, function: Callable[..., object], *args: object, **kwargs: object) -> Task:
        """Run a function in a branch of its own."""
        task = Task(self.scheduler)

        def body() -> None:
            try:
                value = function(*args, **kwargs)
                if isinstance(value, Deferred):
                    value = wait(value)
            except BranchCancelled:
                settle(task, error=CancelledError("the task was cancelled"))
            except Exception as error:  # noqa: BLE001 - it belongs to whoever waits for the task
                settle(task, error=error)
            except BaseException as error:  # noqa: BLE001 - a limit: it ends the program, whichever branch met it
                self._fatal(error)
            else:
                settle(task, value)

        task.branch = self.scheduler.spawn(body)
        task.name = f"Task-{task.branch.path}"
        return task

    def submit(self, function: Callable[..., object], *args: object, **kwargs: object) -> Task:
        """Run a function that the program names, the guarded way, in a branch of its own."""
        if not callable(function):
            raise TypeError(f"{function!r} cannot be called; pass the function and its arguments one by one")
        return self.start(self.caller, function, *args, **kwargs)

    def ensure(self, thing: object) -> Deferred:
        """The deferred behind a thing, started."""
        if isinstance(thing, Coroutine):
            if not thing.started and thing.task is None:
                thing.task = self.start(wait, thing)
            return thing
        if isinstance(thing, Deferred):
            return thing
        if callable(thing) and not isinstance(thing, type):
            return self.start(thing)
        if isinstance(thing, (tuple, list)) and 2 <= len(thing) <= 3 and isinstance(thing[0], str) and self.pair:
            agent, instruction, *rest = thing
            extra = {"inputs": rest[0]} if rest else {}
            made = self.pair(agent, instruction, **extra)
            if isinstance(made, Deferred):
                return made
        return _ready(self.scheduler, thing)

    def gather(self, *things: object, on_error: object = "raise", return_exceptions: object = False) -> Deferred:
        """All things side by side; a deferred list of their values, in order.

        With `raise`, all are drained first, then the first failure by position is raised. With `return`, failures
        stand in the list as exceptions.
        """
        if on_error not in ("raise", "return"):
            raise ValueError(f"on_error must be 'raise' or 'return', not {on_error!r}")
        keep = on_error == "return" or bool(return_exceptions)
        started = [self.ensure(thing) for thing in _spread(things)]
        return self.start(lambda: self._collect(started, keep))

    def parallel(self, things: object = (), *more: object, on_error: object = "raise") -> Deferred:
        """The same for a list of things."""
        return self.gather(*_spread((things, *more) if more else (things,)), on_error=on_error)

    def _collect(self, started: list[Deferred], keep: bool) -> list[object]:
        results: list[object] = []
        for deferred in started:
            try:
                results.append(wait(deferred))
            except Exception as error:  # noqa: BLE001 - kept for the list, or raised once all are drained
                results.append(error)
        if not keep:
            for deferred, result in zip(started, results, strict=True):
                if isinstance(result, Exception) and error_of(deferred) is not None:
                    raise result
        return results

    def wait_for(self, thing: object, timeout: float | None) -> Deferred:
        """The value of `thing`, or TimeoutError after `timeout` seconds (the thing is then cancelled)."""
        return self.start(self._wait_for, self.ensure(thing), timeout)

    def _wait_for(self, deferred: Deferred, timeout: float | None) -> object:
        if timeout is None:
            return wait(deferred)
        arrived = Deferred(self.scheduler)
        lift = self.calls.deadline(timeout, lambda: settle(arrived))
        when_settled(deferred, lambda: settle(arrived))
        try:
            wait_settled(arrived)
        finally:
            lift()
        if not settled(deferred):
            self.cancel(deferred)
            raise TimeoutError(f"no value within {timeout} seconds")
        return wait(deferred)

    def cancel(self, deferred: Deferred) -> bool:
        """Cancel a call or task; False if it is over already."""
        if settled(deferred):
            return False
        if isinstance(deferred, Handle) and deferred.withdraw is not None:
            deferred.withdraw()
        elif isinstance(deferred, Task) and deferred.branch is not None:
            self.scheduler.wake(deferred.branch, BranchCancelled())
            if not deferred.branch:  # it never ran, so nothing in it can settle the task
                settle(deferred, error=CancelledError("the task was cancelled"))
        elif isinstance(deferred, Coroutine) and deferred.task is not None:
            self.cancel(deferred.task)
            settle(deferred, error=CancelledError("the task was cancelled"))
        else:
            settle(deferred, error=CancelledError("it was cancelled"))
        return True

    def first(self, things: Iterable[Deferred]) -> None:
        """Park until one of the things is settled."""
        arrived = Deferred(self.scheduler)
        waiting = list(things)
        for deferred in waiting:
            when_settled(deferred, lambda: settle(arrived))
        if waiting:
            wait_settled(arrived)

    def as_completed(self, things: object, timeout: object = None) -> Iterator[Deferred]:
        """The things in the order in which they end."""
        left = [self.ensure(thing) for thing in _spread((things,))]
        while left:
            self.first(left)
            done = next(deferred for deferred in left if settled(deferred))
            left = [deferred for deferred in left if deferred is not done]
            yield done

    def sleep(self, seconds: float) -> None:
        """Let virtual time pass; other branches go on."""
        if seconds <= 0 and self.scheduler.others_ready:
            self.scheduler.pause()
            return
        over = Deferred(self.scheduler)
        cancel = self.scheduler.at(self.scheduler.time + max(seconds, 0.0), lambda: settle(over))
        try:
            wait_settled(over)
        finally:
            cancel()

    def makes_coroutines(self, function: object) -> bool:
        """Whether a function was written with `async def`."""
        return function in self.async_functions

    def coroutine(self, body: Callable[[], object]) -> Coroutine:
        """A coroutine that runs `body` when it is awaited."""
        return Coroutine(self.scheduler, body)


def future_method(concurrency: Concurrency, deferred: Deferred, name: str) -> object:
    """A method of futures on a deferred, or None if there is none of that name."""

    def exception(timeout: float | None = None) -> object:
        wait_settled(deferred)
        return error_of(deferred)

    def result(timeout: float | None = None) -> object:
        return wait(concurrency.wait_for(deferred, timeout)) if timeout is not None else wait(deferred)

    def add_done_callback(callback: Callable[[object], object]) -> None:
        def body() -> object:
            wait_settled(deferred)
            return callback(deferred)

        concurrency.start(body)

    def finish(value: object = None, error: Exception | None = None) -> None:
        if settled(deferred):
            raise InvalidStateError("the future has a result already")
        settle(deferred, value, error)

    methods: dict[str, Callable[..., object]] = {
        "result": result,
        "exception": exception,
        "done": lambda: settled(deferred),
        "cancel": lambda *_: concurrency.cancel(deferred),
        "cancelled": lambda: isinstance(error_of(deferred), CancelledError),
        "add_done_callback": add_done_callback,
        "get_name": lambda: getattr(deferred, "name", ""),
    }
    if type(deferred) is Deferred:  # a future that the program made; nobody else sets the others' results
        methods["set_result"] = finish
        methods["set_exception"] = lambda error: finish(error=error)
    return methods.get(name)


def _ready(scheduler: Scheduler, value: object) -> Deferred:
    deferred = Deferred(scheduler)
    settle(deferred, value)
    return deferred


def _spread(things: Iterable[object]) -> list[object]:
    """The things; one list, tuple or generator of things in their place is opened."""
    listed = list(things)
    if len(listed) == 1 and not isinstance(listed[0], (str, Deferred)):
        only = listed[0]
        is_pair = isinstance(only, tuple) and len(only) in (2, 3) and all(isinstance(part, str) for part in only[:2])
        if isinstance(only, dict):
            return list(only if any(isinstance(key, Deferred) for key in only) else only.values())
        if not is_pair and isinstance(only, Iterable):
            return list(only)
    return listed
