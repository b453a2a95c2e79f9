"""What the patterns of `match` look up, and which classes may be matched by their attributes.

Python reads the names in patterns, and the attributes that a class pattern names, without asking a guard. So the policy
moves the names of a `match` into a `Lookups`, and a class pattern with attributes is for plain data, exceptions and
the program's own classes; never for `object`, whose pattern would read attributes of anything.
"""

from __future__ import annotations

import datetime
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from sandbox.inside.classes import Classes
from sandbox.inside.facades.kinds import TypeOf

_PLAIN: frozenset[type] = frozenset(
    {bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, range, Decimal, Fraction}
    | {Counter, OrderedDict, defaultdict, deque}
)
_MOMENTS = (datetime.date, datetime.time, datetime.timedelta, datetime.timezone)


class Lookups:
    """The names in the patterns of one `match`: attribute `p0` is the value of the first, and so on."""

    __slots__ = ("_names",)

    def __init__(self, *names: Callable[[], object]) -> None:
        self._names = names

    def __getattr__(self, name: str) -> object:
        return self._names[int(name[1:])]()


def matchable(cls: object, has_attributes: bool, classes: Classes) -> object:
    """The class of a class pattern. Raises TypeError if its attributes must not be read."""
    if isinstance(cls, TypeOf):
        cls = type
    if not isinstance(cls, type):
        raise TypeError("a class pattern must name a class")
    fine = cls in classes or cls in _PLAIN or issubclass(cls, (Exception, *_MOMENTS))
    if has_attributes and not fine:
        raise TypeError(f"attributes of {cls.__name__} cannot be matched here; match values, dicts or your own classes")
    return cls
