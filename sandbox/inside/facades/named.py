"""Named fields: names that a program gives as text, checked, and the named tuples that are made of them.

The standard library writes the code of a named tuple from its field names and evaluates it, so a name is made exact
text and must be a plain public identifier before it gets there.
"""

from __future__ import annotations

import collections
import keyword
from collections.abc import Iterable
from typing import cast


def field_names(names: object) -> list[str]:
    """The names in `"a b"`, `"a, b"` or `["a", "b"]`. Raises ValueError for what is no name."""
    listed = (
        str.split(str.replace(names, ",", " ")) if isinstance(names, str) else list(cast("Iterable[object]", names))
    )
    return [public_name(name) for name in listed]


def public_name(name: object) -> str:
    """The name as exact text, if it is a public identifier. Raises ValueError otherwise."""
    exact = str.__str__(name) if isinstance(name, str) else ""
    if not exact.isidentifier() or not exact.isascii() or keyword.iskeyword(exact) or exact.startswith("_"):
        raise ValueError(f"{exact or name!r} is no name for a class or a field; use letters, digits and underscores")
    return exact


def named_tuple(typename: object, names: list[str], defaults: tuple[object, ...]) -> type:
    """A class of tuples with these (checked) field names."""
    made = collections.namedtuple(public_name(typename), names, defaults=defaults, module="__main__")  # type: ignore[misc]
    return cast("type", made)
