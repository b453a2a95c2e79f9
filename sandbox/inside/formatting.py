"""Formatting without attribute walks and without huge widths: `str.format`, format specifications, `%`.

Templates and specifications are made exact text first, since a program's enum can derive from `str` and redefine its
methods. `without_addresses` is for what shows objects: addresses differ from process to process.
"""

from __future__ import annotations

import datetime
import re
import string
from collections.abc import Mapping, Sequence
from typing import Any

from sandbox.inside.deferred import resolve

MAX_WIDTH = 10_000
_NUMBERS = re.compile(r"\d+")
_CONVERSION = re.compile(r"[-+ #0]*(\*|[0-9]*)(?:\.(\*|[0-9]*))?")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{6,}(?=>)")


def safe_format_spec(value: object, spec: object = "") -> str:
    """`format(value, spec)` with capped width and precision."""
    if not isinstance(spec, str):
        raise TypeError(f"a format specification must be text, not {type(spec).__name__}")
    spec = str.__str__(spec)
    is_moment = isinstance(value, (datetime.date, datetime.time))  # its specification is a template, not a width
    if not is_moment and any(_too_wide(number) for number in _NUMBERS.findall(spec)):
        raise ValueError(f"a width or precision over {MAX_WIDTH} in the format specification {spec[:80]!r}")
    return without_addresses(format(value, spec)) if _shows_an_object(value) else format(value, spec)


def safe_format(template: str, args: Sequence[object], kwargs: Mapping[str, object]) -> str:
    """`template.format(*args, **kwargs)` where a field names an argument and nothing inside it."""
    return _Formatter().vformat(str.__str__(template), [resolve(item) for item in args], kwargs)


def safe_percent(template: str | bytes, values: object) -> object:
    """`template % values` with capped width and precision."""
    if isinstance(template, bytes):
        raise TypeError("% on bytes is not part of the workflow language; use text")
    template = str.__str__(template)
    _check_percent(template)
    if isinstance(values, tuple):
        values = tuple(resolve(item) for item in values)
    elif isinstance(values, dict):
        values = {key: resolve(item) for key, item in values.items()}
    made = str.__mod__(template, values)
    parts = values if isinstance(values, tuple) else values.values() if isinstance(values, dict) else (values,)
    return without_addresses(made) if any(map(_shows_an_object, parts)) else made


def without_addresses(text: str) -> str:
    """The text of a `repr` without memory addresses: `<function f at 0x7f...>` becomes `<function f>`."""
    return _ADDRESS.sub("", text) if " at 0x" in text else text


def _shows_an_object(value: object) -> bool:
    return not isinstance(value, (str, int, float))


def _too_wide(number: str) -> bool:
    return len(number) > 5 or int(number) > MAX_WIDTH


def _check_percent(template: str) -> None:
    """Refuse wide fields. Reads a template as Python does: a key in parentheses may hold balanced parentheses."""
    place = template.find("%")
    while place >= 0:
        place = _after_key(template, place + 1)
        field = _CONVERSION.match(template, place)
        assert field is not None
        for number in field.groups():
            if number == "*" or (number and _too_wide(number)):
                raise ValueError(f"a width over {MAX_WIDTH}, or *, in the template {template[:80]!r}; use an f-string")
        place = template.find("%", field.end() + 1)


def _after_key(template: str, place: int) -> int:
    if template[place : place + 1] != "(":
        return place
    depth = 0
    for end in range(place, len(template)):
        depth += (template[end] == "(") - (template[end] == ")")
        if depth == 0:
            return end + 1
    return len(template)


class _Formatter(string.Formatter):
    def get_field(self, field_name: str, args: Sequence[object], kwargs: Mapping[str, object]) -> tuple[object, str]:
        if "." in field_name or "[" in field_name:
            raise ValueError(f"the field {{{field_name}}} reads inside its argument; use an f-string")
        key: int | str = int(field_name) if field_name.isdigit() else field_name
        return resolve(self.get_value(key, args, kwargs)), field_name

    def convert_field(self, value: object, conversion: Any) -> object:  # noqa: ANN401
        shown: object = super().convert_field(value, conversion)
        return without_addresses(shown) if isinstance(shown, str) and _shows_an_object(value) else shown

    def format_field(self, value: object, format_spec: str) -> str:
        return safe_format_spec(value, format_spec)
