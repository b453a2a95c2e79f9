"""Reading a value of a given shape out of a reply's text.

Models wrap JSON in fences and sentences, and answer `The answer is 12.` where a number was asked for. `read` looks for
JSON first (the whole text, fenced blocks, the last object or list in it), then for the value in plain words, and only
then lets a repair of malformed JSON try. Where there is nothing it says what is wrong, for the model that wrote it.
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

_FENCE = re.compile(r"```[^\n`]*\n?(.*?)```", re.DOTALL)
_THOUGHT = re.compile(r"^\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
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
    problem = "there is no JSON in it"
    for candidate in _candidates(text):
        try:
            return Read(_fitted(candidate, shape))
        except ValidationError as error:
            problem = _worded(error)
    plain = in_plain_words(text, shape)
    if plain is not None:
        return Read(plain)
    repaired = _repaired(text, shape)
    if repaired is not None:
        return repaired
    raise Mismatch(f"{problem}. Write only {describe_json(shape)}")


def fit(value: JsonValue, shape: Shape) -> JsonValue:
    """Data as a value of the shape. Raises `Mismatch`."""
    try:
        return validated(value, shape)
    except ValidationError as error:
        raise Mismatch(f"{_worded(error)}. Wanted: {describe(shape)}") from None


def last_code_block(text: str) -> str:
    """The last fenced block of a text, an unclosed one included; the text itself if there is none."""
    text = _THOUGHT.sub("", text)
    if text.count("```") % 2 == 0:
        blocks = _FENCE.findall(text)
        return str(blocks[-1]).strip("\n") if blocks else text.strip("\n")
    _, _, rest = text.rpartition("```")
    return rest.partition("\n")[2].strip("\n") or text.strip("\n")


def _candidates(text: str) -> Iterator[JsonValue]:
    """Everything in the text that is JSON: the whole, the fenced blocks, the balanced objects and lists, last first."""
    for piece in [text, *reversed(_FENCE.findall(text))]:
        try:
            yield _tidy(_DECODER.decode(piece))
        except (ValueError, RecursionError):
            continue
    yield from reversed(list(_balanced(text)))


def _balanced(text: str) -> Iterator[JsonValue]:
    end = 0
    for match in list(re.finditer(r"[{\[]", text))[-_MOST_STARTS:]:
        if match.start() < end:
            continue
        try:
            value, end = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        yield _tidy(value)


def _fitted(candidate: JsonValue, shape: Shape) -> JsonValue:
    """Validate, as it is wrapped in its schema or else as it stands."""
    if not is_object(shape) and isinstance(candidate, dict) and set(candidate) == {WRAPPED}:
        try:
            return validated(candidate[WRAPPED], shape)
        except ValidationError:
            pass
    return validated(candidate, shape)


def _repaired(text: str, shape: Shape) -> Read | None:
    start = min((position for position in (text.find("{"), text.find("[")) if position >= 0), default=-1)
    if start < 0 or len(text) - start > _MOST_REPAIRED or not isinstance(shape, Fields | Mapped | Many):
        return None
    import json_repair

    try:
        mended: JsonValue = json_repair.loads(text[start:])  # type: ignore[assignment]
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
