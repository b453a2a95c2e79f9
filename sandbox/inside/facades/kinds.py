"""`type` as programs have it: the type of a value, and never a metaclass or a type that makes code.

`type(x)` of plain data and of program objects is the real class, so that `type(x) is str` holds. Functions, methods,
generators and modules have a stand-in that tells what they are (`type(f).__name__`, `isinstance(g, type(f))`) and
makes nothing.
"""

from __future__ import annotations

import types
from typing import NoReturn

from sandbox.inside.facades.facade import Facade
from sandbox.inside.values import Record, Row, Text


class TypeOf:
    """`type` with one argument. It makes no classes, and of a class it gives none."""

    __slots__ = ()

    def __call__(self, *things: object) -> type:
        if len(things) != 1:
            raise TypeError("type() takes one argument here; write a class statement to make a class")
        return type_of(things[0])

    def __instancecheck__(self, thing: object) -> bool:
        return isinstance(thing, type)

    def __getitem__(self, item: object) -> TypeOf:
        return self

    def __or__(self, other: object) -> TypeOf:
        return self

    __ror__ = __or__

    def __repr__(self) -> str:
        return "<class 'type'>"


def type_of(thing: object) -> type:
    """The type of a value as a program sees it: replies are plain text, dicts and lists. Raises TypeError for a class."""
    kind = type(thing)
    if issubclass(kind, type):
        raise TypeError("type() of a class is not part of the workflow language")
    return _SEEN_AS.get(kind, kind)


class _StandIn(type):
    """The type of a type that is not handed out."""

    _kinds: tuple[type, ...]

    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, cls._kinds)

    def __call__(cls, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError(f"a {cls.__name__} cannot be made this way; write def, lambda or import")


def _stand_in(name: str, *kinds: type) -> dict[type, type]:
    made = _StandIn(name, (), {"_kinds": kinds, "__slots__": (), "__module__": "builtins"})
    return dict.fromkeys(kinds, made)


_SEEN_AS: dict[type, type] = {
    Text: str, Record: dict, Row: list,
    **_stand_in("function", types.FunctionType),
    **_stand_in("builtin_function_or_method", types.BuiltinFunctionType),
    **_stand_in("method", types.MethodType),
    **_stand_in("generator", types.GeneratorType),
    **_stand_in("module", Facade),
}  # fmt: skip
