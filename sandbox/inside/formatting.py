"""Formatting without attribute walks and without huge widths: `str.format`, format specifications, `%`."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence

from sandbox.inside.deferred import resolve

MAX_WIDTH = 10_000
_NUMBERS = re.compile(r"\d+")
_PERCENT = re.compile(r"%(?:\((?P<key>[^)]*)\))?[-+ #0]*(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?[hlL]?.")


def safe_format_spec(value: object, spec: str) -> str:
    """`format(value, spec)` with capped width and precision."""
    spec = str(spec)
    too_wide = any(len(number) > 5 or int(number) > MAX_WIDTH for number in _NUMBERS.findall(spec))
    if too_wide and not hasattr(value, "strftime"):
        raise ValueError(f"a width or precision over {MAX_WIDTH} in the format specification {spec!r}")
    return format(value, spec)


def safe_format(template: str, args: Sequence[object], kwargs: Mapping[str, object]) -> str:
    """`template.format(*args, **kwargs)` where a field names an argument and nothing inside it."""
    return _Formatter().vformat(template, [resolve(item) for item in args], kwargs)


def safe_percent(template: str | bytes, values: object) -> object:
    """`template % values` with capped width and precision."""
    if isinstance(template, bytes):
        raise TypeError("% on bytes is not part of the workflow language; use text")
    for match in _PERCENT.finditer(template):
        for number in (match["width"], match["precision"]):
            if number == "*" or (number and int(number) > MAX_WIDTH):
                raise ValueError(f"a width over {MAX_WIDTH}, or *, in {match[0]!r}")
    if isinstance(values, tuple):
        values = tuple(resolve(item) for item in values)
    elif isinstance(values, dict):
        values = {key: resolve(item) for key, item in values.items()}
    return str.__mod__(template, values)


class _Formatter(string.Formatter):
    def get_field(self, field_name: str, args: Sequence[object], kwargs: Mapping[str, object]) -> tuple[object, str]:
        if "." in field_name or "[" in field_name:
            raise ValueError(f"the field {{{field_name}}} reads inside its argument; use an f-string")
        key: int | str = int(field_name) if field_name.isdigit() else field_name
        return resolve(self.get_value(key, args, kwargs)), field_name

    def format_field(self, value: object, format_spec: str) -> str:
        return safe_format_spec(value, format_spec)
