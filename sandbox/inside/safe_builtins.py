"""The builtins of a program: what natural programs use, without anything that reaches out of the language."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import cast

from sandbox.inside.arithmetic import guarded_pow
from sandbox.inside.concurrency import CancelledError
from sandbox.inside.facades.runtime import Runtime
from sandbox.inside.formatting import safe_format_spec
from sandbox.inside.values import Record, Row, Text

_AS_THEY_ARE = (
    "abs all any ascii bin bool callable chr complex dict divmod enumerate filter float frozenset hash hex "
    "int isinstance issubclass iter len list max min next object oct ord range repr reversed round set slice sorted "
    "staticmethod classmethod property str sum super tuple zip NotImplemented Ellipsis bytes "
    "True False None"
)
_EXCEPTIONS = (
    "ArithmeticError AssertionError AttributeError EOFError Exception FloatingPointError ImportError IndexError "
    "KeyError LookupError MemoryError ModuleNotFoundError NameError NotImplementedError OSError OverflowError "
    "RecursionError RuntimeError StopIteration StopAsyncIteration SyntaxError TimeoutError TypeError UnboundLocalError "
    "UnicodeDecodeError UnicodeEncodeError UnicodeError ValueError Warning UserWarning ZeroDivisionError "
    "ConnectionError DeprecationWarning RuntimeWarning"
)
_MISSING = object()


class _TypeOf:
    """`type` with one argument. It makes no classes, and of a class it gives none."""

    __slots__ = ()

    def __call__(self, *things: object) -> type:
        if len(things) != 1:
            raise TypeError("type() takes one argument here; write a class statement to make a class")
        return type_of(things[0])

    def __instancecheck__(self, thing: object) -> bool:
        return isinstance(thing, type)

    def __repr__(self) -> str:
        return "<class 'type'>"


def type_of(thing: object) -> type:
    """The type of a value as a program sees it: replies are plain text, dicts and lists. Raises TypeError for a class."""
    for special, plain in ((Text, str), (Record, dict), (Row, list)):
        if type(thing) is special:
            return plain
    if isinstance(thing, type):
        raise TypeError("type() of a class is not part of the workflow language")
    return type(thing)


def safe_builtins(runtime: Runtime) -> dict[str, object]:
    """The names that every program has, by name."""
    names: dict[str, object] = {name: getattr(builtins, name) for name in f"{_AS_THEY_ARE} {_EXCEPTIONS}".split()}
    names.update(IOError=OSError, type=_TypeOf(), pow=guarded_pow)
    names.update(_guarded(runtime))
    names["CancelledError"] = CancelledError
    return names


def _guarded(runtime: Runtime) -> dict[str, object]:
    serials: dict[int, tuple[int, object]] = {}
    counter = itertools.count(1)

    def safe_getattr(thing: object, name: str, default: object = _MISSING) -> object:
        try:
            return runtime.getattr(thing, _name(name))
        except AttributeError:
            if default is _MISSING:
                raise
            return default

    def safe_hasattr(thing: object, name: str) -> bool:
        return safe_getattr(thing, name, _MISSING) is not _MISSING

    def safe_setattr(thing: object, name: str, value: object) -> None:
        if not runtime.classes.has(thing) or _name(name).startswith("__"):
            raise TypeError(f"attributes of a {type(thing).__name__} cannot be set")
        setattr(thing, name, value)

    def safe_id(thing: object) -> int:
        if id(thing) not in serials:
            serials[id(thing)] = (next(counter), thing)
        return serials[id(thing)][0]

    def safe_map(function: Callable[..., object], *iterables: Iterable[object]) -> Iterator[object]:
        return (runtime.call(function, *items) for items in zip(*iterables, strict=False))

    def safe_print(
        *things: object, sep: object = " ", end: object = "\n", file: object = None, flush: object = False
    ) -> None:
        text = (" " if sep is None else str(sep)).join(str(thing) for thing in things)
        runtime.print(text + ("\n" if end is None else str(end)))

    def safe_dir(thing: object) -> list[str]:
        return [name for name in builtins.dir(thing) if not name.startswith("_")]

    def safe_vars(thing: object) -> dict[str, object]:
        return cast("dict[str, object]", runtime.getattr(thing, "__dict__"))

    return {
        "getattr": safe_getattr, "hasattr": safe_hasattr, "setattr": safe_setattr, "id": safe_id, "map": safe_map,
        "print": safe_print, "dir": safe_dir, "vars": safe_vars,
        "format": lambda value, spec="": safe_format_spec(runtime.value(value), spec),
    }  # fmt: skip


def _name(name: object) -> str:
    if type(name) is not str and not isinstance(name, Text):
        raise TypeError("an attribute's name must be text")
    return str.__str__(name)
