"""Classes that a program defines: which bases they may have, and what makes their objects deterministic.

A program's class is an ordinary class, remembered as such, so that private attributes are readable on its
objects and on nothing else. Its default `repr` shows no address and its default `hash` is a serial number, so
that the order of a set does not differ from process to process.
"""

from __future__ import annotations

import enum
import typing
from collections.abc import Callable, Iterable

from sandbox.inside.policy import ENUM_NAMES, REFUSED_ATTRIBUTES

_ROOTS: frozenset[type] = frozenset({object})
NAMED_TUPLE_NAMES = frozenset({"_asdict", "_replace", "_make", "_fields", "_field_defaults"})
_MIXINS = (str, int, float)
_STATED = ("__match_args__", "__slots__")
"""What a class body says about attributes by their names, as text."""


class Classes:
    """The classes of one program. Calling it makes one, in the place of a metaclass."""

    def __init__(self, allowed_bases: tuple[type, ...] = ()) -> None:
        self._known: set[type] = set()
        self._allowed = _ROOTS | set(allowed_bases)
        self._serials: dict[int, tuple[int, object]] = {}
        self._making = False

    def __contains__(self, cls: object) -> bool:
        return isinstance(cls, type) and cls in self._known

    def has(self, thing: object) -> bool:
        """Whether `thing` is an object of a program's class, or such a class."""
        return type(thing) in self._known or thing in self or (self._making and self._is_being_made(thing))

    def _is_being_made(self, thing: object) -> bool:
        """Enumerations make their members, and call `__init__`, before their class is done."""
        return any(base in self._known for base in type(thing).__mro__)

    def defines(self, thing: object, name: str) -> bool:
        """Whether a private attribute of a program's object, class or `super()` was made by the program.

        What they inherit from the standard library stays closed: the private methods of an enumeration's class reach
        the modules of the interpreter.
        """
        if name in NAMED_TUPLE_NAMES | ENUM_NAMES:
            return True
        if name.endswith("_"):
            return False
        if isinstance(thing, super):
            thing = thing.__self__  # type: ignore[attr-defined]
        if not isinstance(thing, type) and name in getattr(thing, "__dict__", ()):
            return True
        kinds = thing.__mro__ if isinstance(thing, type) else type(thing).__mro__
        return any(name in vars(kind) for kind in kinds if kind in self._known)

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

    def give_defaults(self, cls: type) -> type:
        """Replace the `repr` and `hash` that a class has from `object`, which depend on addresses."""
        defaults: dict[str, Callable[[object], object]] = {
            "__repr__": lambda thing: f"<{type(thing).__name__} object>",
            "__hash__": lambda thing: self.serial(thing),
        }
        for name, default in defaults.items():
            if getattr(cls, name) is getattr(object, name):
                type.__setattr__(cls, name, default)
        return cls

    def __prepare__(self, name: str, bases: tuple[type, ...], **_: object) -> typing.MutableMapping[str, object]:
        kind = _metaclass(bases)
        return kind.__prepare__(name, bases)

    def __call__(self, name: str, bases: tuple[object, ...], namespace: dict[str, object]) -> type:
        for base in bases:
            self._check_base(base, bases)
        for stated in _STATED:
            if stated in namespace:
                namespace[stated] = _names(stated, namespace[stated])
        cls = self._made(name, typing.cast("tuple[type, ...]", bases), namespace)
        self._known.add(cls)
        _mark_abstract(cls)
        return self.give_defaults(cls)

    def _made(self, name: str, bases: tuple[type, ...], namespace: dict[str, object]) -> type:
        outer, self._making = self._making, True
        try:
            return typing.cast("type", _metaclass(bases)(name, bases, namespace))
        finally:
            self._making = outer

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


def _names(stated: str, given: object) -> tuple[str, ...]:
    """The names in `__slots__` or `__match_args__`, as exact text. Python would read whatever attribute they name."""
    listed = [given] if isinstance(given, str) else list(typing.cast("Iterable[object]", given))
    names = tuple(str.__str__(name) for name in listed if isinstance(name, str))
    if len(names) < len(listed):
        raise TypeError(f"{stated} must hold names, as text")
    for name in names:
        allowed = ("__dict__", "__weakref__") if stated == "__slots__" else ()
        is_special = name.startswith("__") and name.endswith("__")
        if (is_special and name not in allowed) or name in REFUSED_ATTRIBUTES or name == "format":
            raise TypeError(f"{name!r} in {stated} is not part of the workflow language")
    return tuple(f"_p{name}" if name.startswith("__") and not name.endswith("__") else name for name in names)


def _mark_abstract(cls: type) -> None:
    """What derives from the language's `ABC` cannot be instantiated while it has abstract methods."""
    if not any(getattr(base, "_is_abstract_root", False) for base in cls.__mro__):
        return
    inherited = [name for base in cls.__bases__ for name in getattr(base, "__abstractmethods__", ())]
    own = [name for name, value in vars(cls).items() if _is_abstract(value)]
    abstract = {name for name in (*inherited, *own) if _is_abstract(getattr(cls, name, None))}
    cls.__abstractmethods__ = frozenset(abstract)  # type: ignore[attr-defined]


def _is_abstract(value: object) -> bool:
    return getattr(value, "__isabstractmethod__", False) is True


def _metaclass(bases: tuple[object, ...]) -> type:
    """The most derived metaclass of the bases, as Python would choose it."""
    kinds: list[type] = [type(base) for base in bases if isinstance(base, type)]
    chosen: type = type
    for kind in kinds:
        if issubclass(kind, chosen):
            chosen = kind
    return chosen
