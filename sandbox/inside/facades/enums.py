"""`enum`: the real enumerations, with one door closed.

`Enum("Name", {...})` makes a class from names given as text, and among them could be `__getattribute__` and the like.
Our enumerations check these names; those of a class statement have been checked by the policy.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import cast

from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.named import field_names, public_name
from sandbox.inside.facades.runtime import Runtime


class _Kind(enum.EnumMeta):
    """Looks members up like the real thing, and makes enumerations from checked names only."""

    def __call__(cls, value: object, *names: object, **options: object) -> object:  # type: ignore[override]
        if not names and not options.keys() - {"start"} and "names" not in options:
            return super().__call__(value)
        if cls.__members__ or len(names) > 1 or options.keys() - {"names", "start"}:
            raise TypeError("an enumeration is made with a class statement, or as Enum(name, names)")
        members = _members(names[0] if names else options.get("names"))
        start = cast("int", options.get("start", 1))
        return super().__call__(public_name(value), members, module="__main__", start=start)

    def __instancecheck__(cls, thing: object) -> bool:
        """A member of an `IntEnum` is one of an `Enum` too, although ours derive from the real ones, not from each other."""
        return isinstance(thing, cls.__mro__[1]) if cls.__module__ == __name__ else super().__instancecheck__(thing)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, cls.__mro__[1]) if cls.__module__ == __name__ else super().__subclasscheck__(other)

    def __setattr__(cls, name: str, value: object) -> None:
        _check_change(cls, name)
        super().__setattr__(name, value)

    def __delattr__(cls, name: str) -> None:
        _check_change(cls, name)
        super().__delattr__(name)


def _check_change(cls: type, name: str) -> None:
    """Ours stay as they are. Names with underscores are set by the real metaclass while it makes a class."""
    if cls.__module__ == __name__ and not name.startswith("_"):
        raise TypeError(f"the class {cls.__name__} cannot be changed; derive from it")


class Enum(enum.Enum, metaclass=_Kind):
    """`enum.Enum`."""

    __repr__ = enum.Enum.__repr__


class IntEnum(enum.IntEnum, metaclass=_Kind):
    """`enum.IntEnum`."""

    __repr__ = enum.IntEnum.__repr__


class StrEnum(enum.StrEnum, metaclass=_Kind):
    """`enum.StrEnum`."""

    __repr__ = enum.StrEnum.__repr__


class Flag(enum.Flag, metaclass=_Kind):
    """`enum.Flag`."""

    __repr__ = enum.Flag.__repr__


class IntFlag(enum.IntFlag, metaclass=_Kind):
    """`enum.IntFlag`."""

    __repr__ = enum.IntFlag.__repr__


def enum_facade(runtime: Runtime) -> Facade:
    """`enum`. The enumerations count as the program's own, so that they can be derived from."""
    own = {kind.__name__: runtime.classes.add(kind) for kind in (Enum, IntEnum, StrEnum, Flag, IntFlag)}
    return Facade("enum", {**own, "auto": enum.auto, "unique": enum.unique})


def _members(names: object) -> list[str] | list[tuple[str, object]]:
    """Names and, where given, values: from text, a list of names, a list of pairs, or a dict."""
    pairs = list(names.items()) if isinstance(names, Mapping) else names
    if isinstance(pairs, str):
        return field_names(pairs)
    listed = list(cast("Iterable[object]", pairs))
    if all(isinstance(item, str) for item in listed):
        return field_names(listed)
    return [(public_name(name), value) for name, value in cast("list[tuple[object, object]]", listed)]
