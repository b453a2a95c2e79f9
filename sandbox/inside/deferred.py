"""Values that are not there yet, and that behave like the value once somebody needs it.

A `Deferred` is a handle of a call, a task, or a coroutine. Using it in any way that needs its value (operator,
comparison, truth, iteration, formatting, item, attribute) parks the branch until the value is there. So plain
synchronous code overlaps its independent calls, and a forgotten `await` is no fault.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.inside.scheduler import Branch, Scheduler


class Deferred:
    """A value to come. `shape_keys` are the keys that its value is known to have."""

    __slots__ = ("_callbacks", "_error", "_scheduler", "_settled", "_value", "_waiters", "shape_keys")

    def __init__(self, scheduler: Scheduler, shape_keys: frozenset[str] = frozenset()) -> None:
        self._scheduler = scheduler
        self._settled = False
        self._value: object = None
        self._error: BaseException | None = None
        self._waiters: list[Branch] = []
        self._callbacks: list[Callable[[], None]] = []
        self.shape_keys = shape_keys

    def __divmod__(self, other: object) -> object:
        return divmod(wait(self), resolve(other))  # type: ignore[operator]

    def __format__(self, spec: str) -> str:
        return format(wait(self), spec)


class Handle(Deferred):
    """A call that was started. `number` is its number in the journal, None until it leaves."""

    __slots__ = ("number", "withdraw")

    def __init__(self, scheduler: Scheduler, shape_keys: frozenset[str] = frozenset()) -> None:
        super().__init__(scheduler, shape_keys)
        self.number: int | None = None
        self.withdraw: Callable[[], None] | None = None


class Task(Deferred):
    """A branch that was started, and its value."""

    __slots__ = ("branch", "name", "serial")

    def __init__(self, scheduler: Scheduler) -> None:
        super().__init__(scheduler)
        self.branch: Branch | None = None
        self.name = ""
        self.serial = scheduler.serial()

    def __hash__(self) -> int:
        return self.serial

    def __eq__(self, other: object) -> bool:
        return self is other if is_future(other) else bool(wait(self) == resolve(other))

    def __ne__(self, other: object) -> bool:
        return not self == other


class Coroutine(Deferred):
    """An `async def` function that was called and not started; the first who needs it runs it."""

    __slots__ = ("body", "serial", "started", "task")

    def __init__(self, scheduler: Scheduler, body: Callable[[], object]) -> None:
        super().__init__(scheduler)
        self.body = body
        self.started = False
        self.task: Task | None = None
        self.serial = scheduler.serial()

    def __hash__(self) -> int:
        return self.serial if is_future(self) else hash(wait(self))

    def __eq__(self, other: object) -> bool:
        both = is_future(self) and is_future(other)
        return self is other if both else bool(wait(self) == resolve(other))

    def __ne__(self, other: object) -> bool:
        return not self == other


def is_future(thing: object) -> bool:
    """Whether a thing is a task: compared and hashed as itself, so that tasks can be keys of a dict."""
    return isinstance(thing, Task) or (isinstance(thing, Coroutine) and thing.task is not None)


def settled(deferred: Deferred) -> bool:
    """Whether value or error are there."""
    return deferred._settled


def error_of(deferred: Deferred) -> BaseException | None:
    """The error of a settled deferred."""
    return deferred._error


def value_of(deferred: Deferred) -> object:
    """The value of a deferred that settled without error."""
    return deferred._value


def settle(deferred: Deferred, value: object = None, error: BaseException | None = None) -> None:
    """Give a deferred its value or error, once, and wake everyone who waits for it."""
    if deferred._settled:
        return
    deferred._settled, deferred._value, deferred._error = True, value, error
    for branch in deferred._waiters:
        deferred._scheduler.wake(branch)
    deferred._waiters.clear()
    callbacks, deferred._callbacks = deferred._callbacks, []
    for callback in callbacks:
        callback()


def when_settled(deferred: Deferred, callback: Callable[[], None]) -> None:
    """Run `callback` (which must not park) as soon as the deferred is settled."""
    if deferred._settled:
        callback()
    else:
        deferred._callbacks.append(callback)


def wait_settled(deferred: Deferred) -> None:
    """Park until the deferred is settled; raises nothing of its own."""
    if isinstance(deferred, Coroutine) and not deferred.started:
        _run_here(deferred)
    while not deferred._settled:
        branch = deferred._scheduler.current
        deferred._waiters.append(branch)
        try:
            deferred._scheduler.park()
        finally:
            if branch in deferred._waiters:
                deferred._waiters.remove(branch)


def wait(deferred: Deferred) -> object:
    """The value, waited for. Raises the deferred's error. A deferred that gives a deferred is followed."""
    while True:
        wait_settled(deferred)
        if deferred._error is not None:
            raise deferred._error
        if not isinstance(deferred._value, Deferred):
            return deferred._value
        deferred = deferred._value


def resolve(thing: object) -> object:
    """The value of a deferred, anything else as it is."""
    return wait(thing) if isinstance(thing, Deferred) else thing


def _run_here(coroutine: Coroutine) -> None:
    """Run a coroutine's body in the branch that needs it."""
    coroutine.started = True
    try:
        value = coroutine.body()
    except Exception as error:  # noqa: BLE001 - whatever the program raised belongs to whoever awaits
        settle(coroutine, error=error)
    else:
        settle(coroutine, value)


def _unary(operation: Callable[[object], object]) -> Callable[[Deferred], object]:
    return lambda self: operation(wait(self))


def _binary(operation: Callable[[object, object], object]) -> Callable[[Deferred, object], object]:
    return lambda self, other: operation(wait(self), resolve(other))


def _reflected(operation: Callable[[object, object], object]) -> Callable[[Deferred, object], object]:
    return lambda self, other: operation(resolve(other), wait(self))


def _install_operators() -> None:
    binary = "add sub mul truediv floordiv mod pow matmul lshift rshift and or xor"
    for name in binary.split():
        operation = getattr(operator, name + "_" if name in ("and", "or") else name)
        setattr(Deferred, f"__{name}__", _binary(operation))
        setattr(Deferred, f"__r{name}__", _reflected(operation))
    for name in ["lt", "le", "eq", "ne", "gt", "ge", "contains", "getitem"]:
        setattr(Deferred, f"__{name}__", _binary(getattr(operator, name)))
    unary: dict[str, Callable[..., object]] = {
        "neg": operator.neg, "pos": operator.pos, "abs": abs, "invert": operator.invert, "index": operator.index,
        "bool": bool, "len": len, "iter": iter, "str": str, "repr": repr, "hash": hash, "int": int, "float": float,
        "round": round, "reversed": reversed,
    }  # fmt: skip
    for name, operation in unary.items():
        setattr(Deferred, f"__{name}__", _unary(operation))


_install_operators()
