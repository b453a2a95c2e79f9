"""Reading a value of a given shape out of a reply's text.

Models wrap JSON in fences and sentences, and answer `The answer is 12.` where a number was asked for. `read` finds the
value in all of these, and says what is wrong where there is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import json_repair
from pydantic import JsonValue, ValidationError

from subagents.shapes import WRAPPED, Choice, Fields, Mapped, Shape, Simple, adapter, describe

_FENCE = re.compile(r"```[\w-]*\s*\n?(.*?)```", re.DOTALL)
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")
_ANSWER = re.compile(r"(?:final\s+)?answer\s*(?:is|:)?\s*[:=]?\s*(.+)", re.IGNORECASE)


class Mismatch(ValueError):
    """The text holds no value of the shape; the message says what is wrong, for the model that wrote it."""


@dataclass(frozen=True, slots=True)
class Read:
    """A value, and what was wrong with its JSON if that had to be repaired."""

    value: JsonValue
    repaired: str | None = None


def read(text: str, shape: Shape) -> Read:
    """The value of `shape` in `text`. Raises `Mismatch`."""
    problem = f"there is no JSON in it; write only {describe(shape)}"
    for candidate in _candidates(text):
        try:
            return Read(_validated(candidate, shape))
        except ValidationError as error:
            problem = _worded(error, shape)
    plain = _plain(text, shape)
    if plain is not None:
        return Read(plain)
    repaired = _repaired(text, shape)
    if repaired is not None:
        return repaired
    raise Mismatch(problem)


def last_code_block(text: str) -> str:
    """The last fenced block of a text, an unclosed one included; the text itself if there is none."""
    blocks = _FENCE.findall(text)
    if blocks:
        return str(blocks[-1]).strip("\n")
    _, fence, rest = text.rpartition("```")
    return rest.partition("\n")[2] if fence and "\n" in rest else text


def _candidates(text: str) -> Iterator[JsonValue]:
    """Everything in the text that is JSON: the whole, the fenced blocks, the balanced objects and lists, last first."""
    pieces = [text.strip(), *reversed(_FENCE.findall(text))]
    for piece in pieces:
        try:
            yield json.loads(piece)
        except ValueError:
            continue
    decoder = json.JSONDecoder()
    starts = [match.start() for match in re.finditer(r"[{\[]", text)][-200:]
    found: list[tuple[int, int, JsonValue]] = []
    for start in starts:
        if any(begin <= start < end for begin, end, _ in found):
            continue
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        found.append((start, end, value))
    yield from (value for _, _, value in reversed(found))


def _validated(candidate: JsonValue, shape: Shape) -> JsonValue:
    kind = adapter(shape)
    if not isinstance(shape, Fields | Mapped) and isinstance(candidate, dict) and set(candidate) == {WRAPPED}:
        candidate = candidate[WRAPPED]
    value: JsonValue = kind.dump_python(kind.validate_python(candidate), mode="json", by_alias=True, exclude_unset=True)
    return value


def _plain(text: str, shape: Shape) -> JsonValue:
    """A number, truth value or choice that is named in prose; None if there is none or more than one."""
    answers = _ANSWER.findall(text)
    for part in ([str(answers[-1])] if answers else []) + [text]:
        value = _plain_in(part, shape)
        if value is not None:
            return value
    return None


def _plain_in(text: str, shape: Shape) -> JsonValue:
    if isinstance(shape, Simple) and shape.kind in ("int", "float"):
        numbers = _NUMBER.findall(text)
        return _number(numbers[-1], shape.kind) if numbers else None
    if isinstance(shape, Simple) and shape.kind == "bool":
        words = set(re.findall(r"\b(yes|no|true|false)\b", text.lower()))
        truths = {word in ("yes", "true") for word in words}
        return truths.pop() if len(truths) == 1 else None
    if isinstance(shape, Choice):
        named = [value for value in shape.values if re.search(rf"(?<!\w){re.escape(str(value))}(?!\w)", text)]
        return named[0] if len(named) == 1 else None
    return None


def _number(text: str, kind: str) -> JsonValue:
    number = float(text.replace(",", ""))
    if kind == "float":
        return number
    return int(number) if number.is_integer() else None


def _repaired(text: str, shape: Shape) -> Read | None:
    start = min((position for position in (text.find("{"), text.find("[")) if position >= 0), default=-1)
    if start < 0:
        return None
    mended = json_repair.loads(text[start:])
    try:
        return Read(_validated(mended, shape), "the JSON was malformed")  # type: ignore[arg-type]
    except ValidationError:
        return None


def _worded(error: ValidationError, shape: Shape) -> str:
    problem = error.errors()[0]
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where + ': ' if where else ''}{problem['msg']}; write only {describe(shape)}"
