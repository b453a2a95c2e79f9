"""`abc` and `contextlib`: what programs of more than one class are written with."""

from __future__ import annotations

import abc
from collections.abc import Callable, Generator

from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.runtime import Runtime


def abc_facade(runtime: Runtime) -> Facade:
    """`abc`. `ABC` is a plain base without `register`; the class factory refuses to instantiate what is abstract."""
    root = type("ABC", (), {"_is_abstract_root": True, "__hash__": lambda thing: runtime.classes.serial(thing)})
    root.__module__ = "abc"
    return Facade("abc", {"ABC": runtime.classes.add(root), "abstractmethod": abc.abstractmethod})


def contextlib_facade(runtime: Runtime) -> Facade:
    """`contextlib`: `contextmanager` for plain and asynchronous generators, `suppress`, `nullcontext`, `closing`."""

    def contextmanager(function: Callable[..., object]) -> Callable[..., object]:
        def make(*args: object, **kwargs: object) -> object:
            return _GeneratorContext(runtime.call(function, *args, **kwargs))

        make.__name__ = make.__qualname__ = str(getattr(function, "__name__", "contextmanager"))
        runtime.aware.add(make)
        return make

    members: dict[str, object] = dict.fromkeys(("contextmanager", "asynccontextmanager"), contextmanager)
    return Facade("contextlib", {**members, "suppress": _Suppress, "nullcontext": _Null, "closing": _Closing})


class _GeneratorContext:
    """A block around the one `yield` of a generator. Like Python's, but what is no Exception cannot be swallowed."""

    __slots__ = ("_generator",)

    def __init__(self, generator: object) -> None:
        if not isinstance(generator, Generator):
            raise TypeError("@contextmanager works on functions that yield once")
        self._generator = generator

    def __enter__(self) -> object:
        for value in self._generator:
            return value
        raise RuntimeError("generator didn't yield")

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if error is None:
            self._generator.close() if next(self._generator, _END) is not _END else None
            return False
        try:
            self._generator.throw(error)
        except StopIteration:
            return isinstance(error, Exception)
        except BaseException as raised:
            if raised is error:
                return False
            raise
        raise RuntimeError("generator didn't stop after throw()")


_END = object()


class _Suppress:
    """`suppress(*exceptions)`."""

    __slots__ = ("_kinds",)

    def __init__(self, *kinds: type[BaseException]) -> None:
        self._kinds = kinds

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        return isinstance(error, Exception) and isinstance(error, self._kinds)


class _Null:
    """`nullcontext(value)`."""

    __slots__ = ("_value",)

    def __init__(self, enter_result: object = None) -> None:
        self._value = enter_result

    def __enter__(self) -> object:
        return self._value

    def __exit__(self, *error: object) -> None: ...


class _Closing:
    """`closing(thing)`: calls its `close` at the end of the block."""

    __slots__ = ("_thing",)

    def __init__(self, thing: object) -> None:
        self._thing = thing

    def __enter__(self) -> object:
        return self._thing

    def __exit__(self, *error: object) -> None:
        self._thing.close()  # type: ignore[attr-defined]
