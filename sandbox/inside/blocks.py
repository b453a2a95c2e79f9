"""`with` blocks and asynchronous iteration over objects of the program, made plain.

A program's `__exit__` sees what it would see in ordinary Python: an exception of the program, and no traceback. A
`return` at the top level and the end of a cancelled branch travel as exceptions of ours; the first looks like a block
that ended well, the second like a `CancelledError`, and neither can be swallowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandbox.inside.concurrency import CancelledError
from sandbox.inside.deferred import resolve
from sandbox.inside.scheduler import BranchCancelled


class Block:
    """A context manager of the program, entered and left synchronously, whether it is asynchronous or not."""

    __slots__ = ("_enter", "_exit", "_thing")

    def __init__(self, thing: object, enter: str, leave: str) -> None:
        self._thing = thing
        self._enter, self._exit = _method(thing, enter), _method(thing, leave)

    def __enter__(self) -> object:
        return resolve(self._enter(self._thing))

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        seen = _seen(error)
        given = (None, None, None) if seen is None else (type(seen), seen, None)
        swallowed = bool(resolve(self._exit(self._thing, *given)))
        return swallowed and isinstance(error, Exception)


def async_items(thing: object) -> Iterator[object]:
    """The items of an asynchronous iterator of the program."""
    iterator = thing.__aiter__()  # type: ignore[attr-defined]
    while True:
        try:
            yield resolve(iterator.__anext__())
        except (StopAsyncIteration, StopIteration):
            return


def _method(thing: object, name: str) -> Callable[..., object]:
    found: object = getattr(type(thing), name, None)
    if not callable(found):
        raise TypeError(f"{type(thing).__name__!r} object does not support the context manager protocol (no {name})")
    return found


def _seen(error: BaseException | None) -> Exception | None:
    if isinstance(error, BranchCancelled):
        return CancelledError("the task was cancelled")
    return error if isinstance(error, Exception) else None
