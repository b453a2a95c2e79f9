"""Reading a value of a given shape out of a reply's text.

Models wrap JSON in fences and sentences, and answer `The answer is 12.` where a number was asked for. `read` looks for
JSON first (the whole text, fenced blocks, the last object in it, or a list on lines of its own), then for the value in
plain words, and only then lets a repair of malformed JSON try. Where there is nothing it says what is wrong, for the
model that wrote it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from pydantic import JsonValue, ValidationError

from subagents.plain_words import in_plain_words
from subagents.schemas import describe, describe_json
from subagents.shapes import WRAPPED, Fields, Many, Mapped, Shape, is_object, validated

_FENCE = re.compile(r"```(?:(json|python3?|py)\b|[\w+-]*[ \t]*(?=\n))?(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"^\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_BEGINS = re.compile(r"[{\[]")
_PYTHON = re.compile(r"py", re.IGNORECASE)
_MOST_STARTS = 200
_MOST_REPAIRED = 20_000
"""Characters; a repair takes seconds for a long text that is no JSON at all."""


class Mismatch(ValueError):
    """The text holds no value of the shape; the message says what is wrong, for the model that wrote it."""


@dataclass(frozen=True, slots=True)
class Read:
    """A value, and what was wrong with its JSON if that had to be repaired."""

    value: JsonValue
    repaired: str | None = None


def read(text: str, shape: Shape) -> Read:
    """The value of `shape` in `text`. Raises `Mismatch`."""
    text = _THOUGHT.sub("", text)
    problem: str | None = None
    for candidate in _candidates(text):
        try:
            return Read(_fitted(candidate, shape))
        except ValidationError as error:
            problem = problem or _worded(error)
    plain = in_plain_words(text, shape)
    if plain is not None:
        return Read(plain)
    repaired = _repaired(text, shape)
    if repaired is not None:
        return repaired
    raise Mismatch(f"{problem or 'there is no JSON in it'}. Write only {describe_json(shape)}")


def fit(value: JsonValue, shape: Shape) -> JsonValue:
    """Data as a value of the shape. Raises `Mismatch`."""
    try:
        return validated(value, shape)
    except ValidationError as error:
        raise Mismatch(f"{_worded(error)}. Wanted: {describe(shape)}") from None


def last_code_block(text: str) -> str:
    """The last block that is fenced as Python, else the last fenced one, else the text. A block may be unclosed."""
    text = _THOUGHT.sub("", text)
    blocks = [(tag, block.strip("\n")) for tag, block in _FENCE.findall(text) if block.strip()]
    python = [block for tag, block in blocks if _PYTHON.match(tag)]
    return str([text.strip("`\n"), *(block for _, block in blocks), *python][-1])


def _candidates(text: str) -> Iterator[JsonValue]:
    """Everything in the text that is JSON: the whole, the fenced blocks, the balanced objects and lists, last first."""
    for piece in [text, *reversed([block for _, block in _FENCE.findall(text)])]:
        try:
            yield _tidy(_DECODER.decode(piece.strip()))
        except (ValueError, RecursionError):
            continue
    yield from reversed(list(_balanced(text)))


def _balanced(text: str) -> Iterator[JsonValue]:
    end = 0
    starts = [match.start() for match in _BEGINS.finditer(text)]
    for start in [*starts[:_MOST_STARTS], *starts[_MOST_STARTS:][-_MOST_STARTS:]]:
        if start < end:
            continue
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) or _stands_alone(text, start, end):
            yield _tidy(value)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether what is in brackets there is on lines of its own or behind a colon: not a "[1]" in a sentence."""
    before, after = text[:start].rstrip(" \t")[-1:], text[end:].lstrip(" \t.;`")[:1]
    return before in ("", "\n", ":", "`") and after in ("", "\n")


def _fitted(candidate: JsonValue, shape: Shape) -> JsonValue:
    """Validate, as it stands, or where it is the only value of an object, as in its schema, without that."""
    if is_object(shape) or not isinstance(candidate, dict) or len(candidate) != 1:
        return validated(candidate, shape)
    ((key, inner),) = candidate.items()
    first, second = (inner, candidate) if key == WRAPPED else (candidate, inner)
    try:
        return validated(first, shape)
    except ValidationError:
        return validated(second, shape)


def _repaired(text: str, shape: Shape) -> Read | None:
    found = _BEGINS.search(text)
    if found is None or len(text) - found.start() > _MOST_REPAIRED or not isinstance(shape, Fields | Mapped | Many):
        return None
    if not isinstance(shape, Fields) and not _stands_alone(text, found.start(), len(text)):
        return None  # anything in brackets could be made a list of texts
    import json_repair

    try:
        mended: JsonValue = json_repair.loads(text[found.start() :].partition("```")[0])  # type: ignore[assignment]
        return Read(_fitted(_tidy(mended), shape), "the JSON was malformed")
    except (ValidationError, ValueError, RecursionError):
        return None


def _worded(error: ValidationError) -> str:
    problem = error.errors()[0]
    keys = [str(part) for part in problem["loc"] if not str(part).startswith("function-")]
    message = problem["msg"].removeprefix("Value error, ")
    return f"{'.'.join(keys)}: {message}" if keys else message


def _tidy(value: JsonValue) -> JsonValue:
    """The data with halves of characters that JSON can spell, but no text can hold, replaced."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        text = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        tidy: JsonValue = json.loads(text)
        return tidy
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_number)
