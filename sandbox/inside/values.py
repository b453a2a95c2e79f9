"""Values of the workflow language: text and records that remember which call they came from.

A reply arrives as JSON. Text becomes a `Text` (a `str`), an object becomes a `Record` (a `dict` whose keys
can be read as attributes), lists become lists of these. `plain` goes the other way: it turns whatever a
program hands out into JSON data, notes which parts are replies of which calls, and leaves a place for
every handle that has no value yet.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import fractions
from collections import deque
from collections.abc import Callable, Iterable

MAX_DEPTH = 32

Path = tuple["str | int", ...]


def exact_text(thing: object) -> str:
    """`str(thing)` as a real `str`: a program's text enum can give itself, and redefine the methods of text."""
    return str.__str__(str(thing))


def error_text(error: BaseException) -> str:
    """What an exception says; a program's exception can fail at that, too."""
    try:
        return exact_text(error)
    except Exception as failure:  # noqa: BLE001 - whatever the program's own `__str__` raised
        return f"its text cannot be shown: {type(failure).__name__}"


class NotPlain(TypeError):
    """A value that JSON cannot hold; the message says which, where."""


class Text(str):
    """Text that remembers its call."""

    __slots__ = ("call",)
    call: int | None


class Record(dict[str, object]):
    """An object of a reply; `record.key` and `record["key"]` are the same, keys before methods."""

    __slots__ = ("call",)
    call: int | None


class Row(list[object]):
    """A list of a reply."""

    __slots__ = ("call",)
    call: int | None


def from_reply(value: object, call: int) -> object:
    """The language's value for the JSON data of a reply."""
    if isinstance(value, str):
        text = Text(value)
        text.call = call
        return text
    if isinstance(value, dict):
        record = Record((key, from_reply(item, call)) for key, item in value.items())
        record.call = call
        return record
    if isinstance(value, list):
        row = Row(from_reply(item, call) for item in value)
        row.call = call
        return row
    return value


for _kind, _name in ((Text, "str"), (Record, "dict"), (Row, "list")):
    _kind.__name__ = _kind.__qualname__ = _name  # a program that prints the name of a type sees the plain one


class Plain:
    """Turns values into JSON data. `sources` lists (path, call) of the replies met on the way."""

    def __init__(self, resolve: Callable[[object], object], is_program_object: Callable[[object], bool]) -> None:
        self._resolve = resolve
        self._is_program_object = is_program_object
        self.sources: list[tuple[Path, int]] = []

    def convert(self, value: object, path: Path = (), *, inherited: int | None = None) -> object:
        """JSON data for `value`. Raises `NotPlain` for what has none, or is nested too deep."""
        if len(path) > MAX_DEPTH:
            raise NotPlain(f"the value is nested deeper than {MAX_DEPTH}")
        value = self._resolve(value)
        call = getattr(value, "call", None) if isinstance(value, (Text, Record, Row)) else None
        if call is not None and call != inherited:
            self.sources.append((path, call))
            inherited = call
        return self._by_type(value, path, inherited)

    def _by_type(self, value: object, path: Path, call: int | None) -> object:
        if isinstance(value, enum.Enum):
            return self.convert(value._value_, path, inherited=call)
        if value is None or isinstance(value, (bool, str, int, float)):
            return _scalar(value, path)
        if isinstance(value, dict):
            return {
                _key(self._resolve(key), path): self.convert(item, (*path, exact_text(key)), inherited=call)
                for key, item in value.items()
            }
        if isinstance(value, (list, tuple, deque)):
            return self._items(value, path, call)
        if isinstance(value, (set, frozenset)):
            return self._items(sorted(value, key=repr), path, call)
        if isinstance(value, (decimal.Decimal, fractions.Fraction)):
            return _number(value)
        if isinstance(value, (datetime.date, datetime.time)):
            return value.isoformat()
        if isinstance(value, datetime.timedelta):
            return value.total_seconds()
        return self._object(value, path, call)

    def _items(self, items: Iterable[object], path: Path, call: int | None) -> list[object]:
        return [self.convert(item, (*path, index), inherited=call) for index, item in enumerate(items)]

    def _object(self, value: object, path: Path, call: int | None) -> object:
        if self._is_program_object(value) and not isinstance(value, type):
            if dataclasses.is_dataclass(value):
                fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
                return self.convert(fields, path, inherited=call)
            attributes = getattr(value, "__dict__", None)
            if attributes:
                public = {name: item for name, item in attributes.items() if not name.startswith("_")}
                return self.convert(public, path, inherited=call)
        where = "".join(f"[{step!r}]" for step in path)
        raise NotPlain(
            f"a {type(value).__name__}{f' at {where}' if where else ''} is not plain data; "
            "use text, numbers, lists and dicts"
        )


def _scalar(value: object, path: Path) -> object:
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise NotPlain(f"{value!r} is no JSON number{f' (at {list(path)})' if path else ''}")
        return float(value)
    if isinstance(value, str):
        return str.encode(value, "utf-8", "replace").decode("utf-8")
    if isinstance(value, bool) or value is None:
        return value
    number = int(value)  # type: ignore[call-overload]
    if number.bit_length() > 10_000:
        raise NotPlain("a whole number of more than 3,000 digits is too large to hand out")
    return number


def _number(value: decimal.Decimal | fractions.Fraction) -> object:
    if isinstance(value, decimal.Decimal) and not value.is_finite():
        raise NotPlain(f"{value} is no JSON number")
    return int(value) if value == int(value) else float(value)


def _key(key: object, path: Path) -> str:
    if isinstance(key, str):
        return exact_text(_scalar(key, path))
    if isinstance(key, (bool, int, float)) or key is None:
        return exact_text(key)
    if isinstance(key, tuple):
        return ", ".join(_key(part, path) for part in key)
    if isinstance(key, enum.Enum):
        return exact_text(key._name_)
    raise NotPlain(f"a {type(key).__name__} cannot be a key of plain data; use text")
