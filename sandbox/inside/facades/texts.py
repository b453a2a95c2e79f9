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

MAX_INDENT = 32
_STRING = (
    "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation printable whitespace capwords "
    "Template"
)
_RE = "escape Pattern Match RegexFlag NOFLAG IGNORECASE I MULTILINE M DOTALL S VERBOSE X ASCII A UNICODE U error"
_TEXTWRAP = "dedent fill indent shorten wrap"
_DUMPS_OPTIONS = frozenset(
    {"indent", "sort_keys", "ensure_ascii", "separators", "allow_nan", "skipkeys", "check_circular"}
)
_LOADS_HOOKS = frozenset({"object_hook", "object_pairs_hook", "parse_float", "parse_int", "parse_constant"})


def json_facade(runtime: Runtime) -> Facade:
    """`json`: program objects and handles are written as plain data."""

    def dumps(thing: object, *, default: Callable[[object], object] | None = None, **options: object) -> str:
        _check_options("dumps", options, _DUMPS_OPTIONS)
        _check_indent(options.get("indent"))

        def fallback(item: object) -> object:
            if isinstance(item, Deferred):
                return runtime.value(item)
            if default is not None:
                return runtime.call(default, item)
            if runtime.classes.has(item):
                return Plain(runtime.value, runtime.classes.has).convert(item)
            raise TypeError(f"an object of type {type(item).__name__} is no JSON; turn it into text, a list or a dict")

        return cast("Callable[..., str]", json.dumps)(thing, default=fallback, **options)

    def loads(text: str | bytes, *, strict: bool = True, **hooks: object) -> object:
        _check_options("loads", hooks, _LOADS_HOOKS)
        given = {name: _calling(runtime, hook) for name, hook in hooks.items() if hook is not None}
        return cast("Callable[..., object]", json.loads)(text, strict=strict, **given)

    return Facade("json", {"dumps": dumps, "loads": loads, "JSONDecodeError": json.JSONDecodeError})


def re_facade(runtime: Runtime) -> Facade:
    """`re`; a pattern that backtracks for ever is ended by the processor limit."""

    def on_text(name: str) -> Callable[..., object]:
        real = getattr(re, name)
        return lambda pattern, string, flags=0: real(pattern, string, _flags(flags))

    def compile_(pattern: Any, flags: int = 0) -> object:  # noqa: ANN401
        return re.compile(pattern, _flags(flags))

    def split(pattern: Any, string: str, maxsplit: int = 0, flags: int = 0) -> list[Any]:  # noqa: ANN401
        return re.split(pattern, string, maxsplit=maxsplit, flags=_flags(flags))

    def sub(pattern: Any, repl: Any, string: str, count: int = 0, flags: int = 0) -> str:  # noqa: ANN401
        return re.sub(pattern, _replacement(runtime, repl), string, count=count, flags=_flags(flags))

    def subn(pattern: Any, repl: Any, string: str, count: int = 0, flags: int = 0) -> tuple[str, int]:  # noqa: ANN401
        return re.subn(pattern, _replacement(runtime, repl), string, count=count, flags=_flags(flags))

    members: dict[str, object] = {name: getattr(re, name) for name in _RE.split()}
    members.update({name: on_text(name) for name in ("match", "search", "fullmatch", "findall", "finditer")})
    return Facade("re", {**members, "compile": compile_, "split": split, "sub": sub, "subn": subn})


def string_facade(runtime: Runtime) -> Facade:
    """`string`: its constants, `capwords` and `Template`, which reads nothing but names."""
    return Facade("string", {name: getattr(string, name) for name in _STRING.split()})


def textwrap_facade(runtime: Runtime) -> Facade:
    """`textwrap`."""
    return Facade("textwrap", {name: getattr(textwrap, name) for name in _TEXTWRAP.split()})


def _check_options(function: str, given: dict[str, object], allowed: frozenset[str]) -> None:
    unknown = given.keys() - allowed
    if unknown:
        raise TypeError(
            f"json.{function}() takes no {', '.join(sorted(unknown))}; it takes {', '.join(sorted(allowed))}"
        )


def _check_indent(indent: object) -> None:
    size = len(indent) if isinstance(indent, str) else indent
    if isinstance(size, int) and size > MAX_INDENT:
        raise ValueError(f"json.dumps() indents by at most {MAX_INDENT}")


def _calling(runtime: Runtime, function: object) -> Callable[..., object]:
    return lambda *args: runtime.call(function, *args)


def _flags(flags: int) -> int:
    """The flags, without the one that writes to the standard output behind the program's limits."""
    if int(flags) & re.DEBUG:
        raise ValueError("re.DEBUG is not part of the workflow language")
    return flags


def _replacement(runtime: Runtime, replacement: object) -> Any:  # noqa: ANN401
    if not callable(replacement):
        return replacement
    return lambda match: str(runtime.value(runtime.call(replacement, match)))
