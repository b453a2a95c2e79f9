"""`json`, `re`, `string`, `textwrap`: text in and out."""

from __future__ import annotations

import json
import re
import string
import textwrap
from collections.abc import Callable
from typing import Any, cast

from sandbox.inside.deferred import Deferred
from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.runtime import Runtime
from sandbox.inside.values import Plain

_STRING = (
    "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation printable whitespace capwords"
)
_RE = (
    "match search fullmatch findall finditer split escape compile Pattern Match IGNORECASE "
    "I MULTILINE M DOTALL S VERBOSE X ASCII A UNICODE U"
)


def json_facade(runtime: Runtime) -> Facade:
    """`json`: program objects and handles are written as plain data."""

    def dumps(thing: object, *, default: Callable[[object], object] | None = None, **options: object) -> str:
        allowed = {"indent", "sort_keys", "ensure_ascii", "separators", "allow_nan", "skipkeys"}
        if set(options) - allowed:
            raise TypeError(f"json.dumps() takes {', '.join(sorted(allowed))} and default")

        def fallback(item: object) -> object:
            if isinstance(item, Deferred):
                return runtime.value(item)
            if default is not None:
                return runtime.call(default, item)
            if runtime.classes.has(item):
                return Plain(runtime.value, runtime.classes.has).convert(item)
            raise TypeError(f"an object of type {type(item).__name__} is no JSON; turn it into text, a list or a dict")

        return cast("Callable[..., str]", json.dumps)(thing, default=fallback, **options)

    def loads(text: str | bytes) -> object:
        return json.loads(text)

    return Facade("json", {"dumps": dumps, "loads": loads, "JSONDecodeError": json.JSONDecodeError})


def re_facade(runtime: Runtime) -> Facade:
    """`re`; a pattern that backtracks for ever is ended by the processor limit."""

    def sub(pattern: Any, replacement: Any, text: str, count: int = 0, flags: int = 0) -> str:  # noqa: ANN401
        if callable(replacement):
            function = replacement
            return re.sub(pattern, lambda match: str(runtime.call(function, match)), text, count=count, flags=flags)
        return re.sub(pattern, replacement, text, count=count, flags=flags)

    members: dict[str, object] = {name: getattr(re, name) for name in _RE.split()}
    return Facade("re", {**members, "sub": sub, "error": re.error})


def string_facade(runtime: Runtime) -> Facade:
    """`string`: its constants and `capwords`."""
    return Facade("string", {name: getattr(string, name) for name in _STRING.split()})


def textwrap_facade(runtime: Runtime) -> Facade:
    """`textwrap`."""
    return Facade(
        "textwrap", {name: getattr(textwrap, name) for name in ["dedent", "fill", "indent", "shorten", "wrap"]}
    )
