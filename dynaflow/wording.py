"""How numbers, values and the text of models are worded for a person who reads a terminal.

The trace, the live view and the command line all show text that a model wrote. Such text is foreign: it may
hold escape sequences that repaint the screen or hide what stands there. `visible` writes every such character
as its escape, so that what is shown is what was said. Nothing here knows of events or of rich.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import JsonValue

    from subagents.messages import TokenUsage

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but for tab and line feed
    "\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff"  # hidden, or turn the reading order
    "\ud800-\udfff]"  # lone surrogates, which no terminal can be sent
)


def visible(text: str) -> str:
    """The text with every character that would act on a terminal, instead of showing, written as its escape."""
    return _UNSAFE.sub(_escape, text.replace("\r\n", "\n"))


def cut(text: str, characters: int, lines: int = 12) -> str:
    """The beginning of a text, with a mark that says how much was left out; whole if it fits."""
    kept = "\n".join(text.split("\n", lines)[:lines])[:characters].rstrip()
    left = len(text.rstrip()) - len(kept)
    return f"{kept} … ({left:,} more characters)" if left > 0 else text.rstrip()


def one_line(text: str, characters: int) -> str:
    """The text on one line, white space drawn together, cut with an ellipsis."""
    line = " ".join(visible(text).split())
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"


def as_text(value: JsonValue) -> str:
    """A value as a person reads it: text as it is, small data on one line, larger data spread out."""
    if isinstance(value, str):
        return value
    line = json.dumps(value, ensure_ascii=False)
    return line if len(line) <= 100 else json.dumps(value, ensure_ascii=False, indent=2)


def seconds(value: float) -> str:
    """Seconds, with a decimal where it tells something."""
    return f"{value:.1f} s" if value < 100 else f"{value:,.0f} s"


def tokens(usage: TokenUsage) -> str:
    """Tokens as prompt + completion; `at least` where an endpoint kept some to itself."""
    least = "" if usage.known else "at least "
    return f"{least}{usage.prompt:,}+{usage.completion:,} tokens"


def count(number: int, thing: str) -> str:
    """`1 call`, `2 calls`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def numbered(program: str) -> str:
    """The program with its line numbers, as plain text."""
    lines = visible(program).rstrip("\n").split("\n")
    width = len(str(len(lines)))
    return "\n".join(f"{number:>{width}} | {line}".rstrip() for number, line in enumerate(lines, 1))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    short = {0x0D: "\\r", 0x07: "\\a", 0x08: "\\b"}.get(code)
    return short or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
