"""The builtins of a program: what natural programs use, without anything that reaches out of the language.

Types that programs test values against (`str`, `dict`, ...) are the real ones. `type`, `repr`, `hash` and `id` are ours:
no metaclass comes out of them, and no memory address, which would differ from process to process. `map` and `filter`
hand handles on to functions of the program and values to everything else.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator
from typing import cast

from sandbox.inside.arithmetic import guarded_pow
from sandbox.inside.concurrency import CancelledError
from sandbox.inside.facades.kinds import TypeOf
from sandbox.inside.facades.runtime import Runtime
from sandbox.inside.formatting import safe_format_spec, without_addresses
from sandbox.inside.values import Record, Text

_AS_THEY_ARE = (
    "abs all any bin bool callable chr complex dict divmod enumerate float frozenset hex int isinstance issubclass "
    "iter len list max min next object oct ord range reversed round set slice sorted staticmethod classmethod property "
    "str sum super tuple zip NotImplemented Ellipsis bytes True False None"
)
_EXCEPTIONS = (
    "ArithmeticError AssertionError AttributeError BufferError EOFError Exception FloatingPointError ImportError "
    "IndexError KeyError LookupError MemoryError ModuleNotFoundError NameError NotImplementedError OSError "
    "OverflowError PermissionError RecursionError RuntimeError StopIteration StopAsyncIteration SyntaxError "
    "TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError ValueError "
    "ZeroDivisionError ConnectionError FileNotFoundError IndentationError Warning UserWarning DeprecationWarning "
    "FutureWarning RuntimeWarning"
)
_MISSING = object()


def safe_builtins(runtime: Runtime) -> dict[str, object]:
    """The names that every program has, by name."""
    names: dict[str, object] = {name: getattr(builtins, name) for name in f"{_AS_THEY_ARE} {_EXCEPTIONS}".split()}
    names.update(IOError=OSError, EnvironmentError=OSError, type=TypeOf(), pow=guarded_pow)
    names.update(_attributes(runtime))
    names.update(_texts(runtime))
    names.update(_iterators(runtime))
    names.update(id=runtime.classes.serial, hash=_hash_of(runtime), CancelledError=CancelledError)
    return names


def _attributes(runtime: Runtime) -> dict[str, object]:
    def safe_getattr(thing: object, name: str, default: object = _MISSING) -> object:
        try:
            return runtime.getattr(thing, _name(name))
        except AttributeError:
            if default is _MISSING:
                raise
            return default

    def safe_hasattr(thing: object, name: str) -> bool:
        absent = object()
        return safe_getattr(thing, name, absent) is not absent

    def safe_setattr(thing: object, name: str, value: object) -> None:
        if isinstance(thing, Record):
            thing[_name(name)] = value
        else:
            setattr(_changeable(runtime, thing, name), _name(name), value)

    def safe_delattr(thing: object, name: str) -> None:
        delattr(_changeable(runtime, thing, name), _name(name))

    def safe_dir(thing: object) -> list[str]:
        return [name for name in builtins.dir(thing) if not name.startswith("_")]

    def safe_vars(thing: object) -> dict[str, object]:
        return (
            dict(thing) if isinstance(thing, Record) else cast("dict[str, object]", runtime.getattr(thing, "__dict__"))
        )

    return {
        "getattr": safe_getattr, "hasattr": safe_hasattr, "setattr": safe_setattr, "delattr": safe_delattr,
        "dir": safe_dir, "vars": safe_vars,
    }  # fmt: skip


def _texts(runtime: Runtime) -> dict[str, object]:
    def safe_repr(thing: object) -> str:
        return without_addresses(repr(thing))

    def safe_ascii(thing: object) -> str:
        return without_addresses(ascii(thing))

    def safe_format(value: object, spec: object = "") -> str:
        return safe_format_spec(value, spec)

    def safe_print(
        *things: object, sep: object = None, end: object = None, file: object = None, flush: object = False
    ) -> None:
        shown = [str(thing) if isinstance(thing, str) else without_addresses(str(thing)) for thing in things]
        runtime.print(_separator("sep", sep, " ").join(shown) + _separator("end", end, "\n"))

    return {"repr": safe_repr, "ascii": safe_ascii, "format": safe_format, "print": safe_print}


def _iterators(runtime: Runtime) -> dict[str, object]:
    def safe_map(function: Callable[..., object], *iterables: Iterable[object]) -> Iterator[object]:
        if not iterables:
            raise TypeError("map() needs a function and at least one iterable")
        return (runtime.call(function, *items) for items in zip(*map(_iterable(runtime), iterables), strict=False))

    def safe_filter(function: Callable[..., object] | None, iterable: Iterable[object]) -> Iterator[object]:
        items = _iterable(runtime)(iterable)
        return (item for item in items if (item if function is None else runtime.call(function, item)))

    runtime.aware.update((safe_map, safe_filter))
    return {"map": safe_map, "filter": safe_filter}


def _iterable(runtime: Runtime) -> Callable[[object], Iterable[object]]:
    """A handle of a list is waited for at once; that what is mapped cannot be iterated is said at once, too."""
    return lambda thing: iter(cast("Iterable[object]", runtime.value(thing)))


def _hash_of(runtime: Runtime) -> Callable[[object], int]:
    def safe_hash(thing: object) -> int:
        by_address = thing is None or type(thing).__hash__ is object.__hash__
        return runtime.classes.serial(thing) if by_address else hash(thing)

    return safe_hash


def _changeable(runtime: Runtime, thing: object, name: object) -> object:
    if not runtime.classes.has(thing) or _name(name).startswith("__"):
        raise TypeError(f"the attribute {name!r} of a {type(thing).__name__} cannot be changed here")
    return thing


def _separator(name: str, given: object, default: str) -> str:
    if given is not None and not isinstance(given, str):
        raise TypeError(f"{name} must be None or text, not {type(given).__name__}")
    return default if given is None else str.__str__(given)


def _name(name: object) -> str:
    if type(name) is not str and not isinstance(name, Text):
        raise TypeError("an attribute's name must be text")
    return str.__str__(name)
