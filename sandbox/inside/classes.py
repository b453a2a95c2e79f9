"""Classes that a program defines: which bases they may have, and what makes their objects deterministic.

A program's class is an ordinary class, remembered as such, so that private attributes are readable on its
objects and on nothing else. Its default `repr` shows no address and its default `hash` is a serial number, so
that the order of a set does not differ from process to process.
"""

from __future__ import annotations

import enum
import typing

_ROOTS: frozenset[type] = frozenset({object, enum.Enum, enum.IntEnum, enum.StrEnum, enum.Flag, enum.IntFlag})
_MIXINS = (str, int, float)


class Classes:
    """The classes of one program. Calling it makes one, in the place of a metaclass."""

    def __init__(self, allowed_bases: tuple[type, ...] = ()) -> None:
        self._known: set[type] = set()
        self._allowed = _ROOTS | set(allowed_bases)
        self._serials: dict[int, tuple[int, object]] = {}

    def __contains__(self, cls: object) -> bool:
        return isinstance(cls, type) and cls in self._known

    def has(self, thing: object) -> bool:
        """Whether `thing` is an object of a program's class, or such a class."""
        return type(thing) in self._known or thing in self

    def add(self, cls: type) -> type:
        """Treat a class that a facade made for the program (a named tuple, say) as the program's own."""
        self._known.add(cls)
        return cls

    def serial(self, thing: object) -> int:
        """A small number that stays with an object; the object is kept, so that it is never given twice."""
        entry = self._serials.get(id(thing))
        if entry is None:
            entry = self._serials[id(thing)] = (len(self._serials) + 1, thing)
        return entry[0]

    def __prepare__(self, name: str, bases: tuple[type, ...], **_: object) -> typing.MutableMapping[str, object]:
        kind = _metaclass(bases)
        return kind.__prepare__(name, bases)

    def __call__(self, name: str, bases: tuple[object, ...], namespace: dict[str, object]) -> type:
        for base in bases:
            self._check_base(base, bases)
        cls = self._make(name, typing.cast("tuple[type, ...]", bases), namespace)
        self._known.add(cls)
        return cls

    def _make(self, name: str, bases: tuple[type, ...], namespace: dict[str, object]) -> type:
        plain = all(base is object or base in self._known for base in bases)
        if (
            plain
            and "__repr__" not in namespace
            and not any("__repr__" in vars(base) for base in bases if base is not object)
        ):
            namespace["__repr__"] = lambda thing: f"<{type(thing).__name__} object>"
        if plain and "__hash__" not in namespace and "__eq__" not in namespace and not bases:
            namespace["__hash__"] = lambda thing: self.serial(thing)
        kind = _metaclass(bases)
        return typing.cast("type", kind(name, bases, namespace))

    def _check_base(self, base: object, bases: tuple[object, ...]) -> None:
        if not isinstance(base, type):
            raise TypeError(f"{base!r} cannot be a base class here; use a plain class")
        is_enum = any(isinstance(other, enum.EnumMeta) for other in bases)
        fine = (
            base in self._allowed
            or base in self._known
            or (issubclass(base, Exception) and not issubclass(base, BaseExceptionGroup))
            or (is_enum and base in _MIXINS)
        )
        if not fine:
            raise TypeError(f"a class cannot derive from {base.__name__} here; hold it in an attribute instead")


def _metaclass(bases: tuple[object, ...]) -> type:
    """The most derived metaclass of the bases, as Python would choose it."""
    kinds: list[type] = [type(base) for base in bases if isinstance(base, type)]
    chosen: type = type
    for kind in kinds:
        if issubclass(kind, chosen):
            chosen = kind
    return chosen
