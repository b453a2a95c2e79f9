"""A number, truth value or choice that a model wrote in a sentence instead of in JSON.

What is ambiguous is no answer: two choices that are both named, a yes beside a no, a choice behind a "not". What
follows the last `Answer:` counts before the rest of the text.
"""

from __future__ import annotations

import re

from subagents.shapes import Choice, Shape, Simple

_ANSWER = re.compile(r"\banswer\b(?:\s+is)?[*_\s]*[:=]?\s*(.+)", re.IGNORECASE)
_NUMBER = re.compile(r"(?:(?<![\w)\]])[-−])?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?(?:\s*/\s*\d+)?")
_TRUTH = re.compile(r"\b(yes|true|false|no)\b(?![-\w])", re.IGNORECASE)
_BEGINNING = re.compile(r"\W*(yes|true|false|no)\s*([.,;:!*]|$)", re.IGNORECASE)
_NEGATION = re.compile(r"(\bnot|n't|\bnever|\bno)\s+(\w+\s+)?$", re.IGNORECASE)


def in_plain_words(text: str, shape: Shape) -> int | float | bool | str | None:
    """The value that the text names; None if there is none, or more than one."""
    answers = _ANSWER.findall(text)
    for part in [answers[-1], text] if answers else [text]:
        value = _named(part, shape)
        if value is not None:
            return value
    return None


def _named(text: str, shape: Shape) -> int | float | bool | str | None:
    match shape:
        case Simple(kind="int"):
            number = _last_number(text)
            return int(number) if number is not None and number.is_integer() else None
        case Simple(kind="float"):
            return _last_number(text)
        case Simple(kind="bool"):
            return _truth(text)
        case Choice(values=values):
            return _choice(text, values)
    return None


def _last_number(text: str) -> float | None:
    numbers = _NUMBER.findall(text)
    if not numbers:
        return None
    upper, _, lower = numbers[-1].replace(",", "").replace("−", "-").partition("/")
    if lower and not float(lower):
        return None
    number = float(upper) / float(lower or 1)
    return number if abs(number) < 2**53 else None  # beyond it a float is not the number that was written


def _truth(text: str) -> bool | None:
    """The word that the text begins with, as in "No, ...", or else the only one that stands in it."""
    found = list(_TRUTH.finditer(text))
    if _BEGINNING.match(text):
        found = found[:1]
    said = {_is_yes(match[0]) for match in found}
    if len(said) != 1 or any(_NEGATION.search(text[: match.start()]) for match in found):
        return None
    if not said & {True} and all(match[0].lower() == "no" and _is_article(text, match) for match in found):
        return None
    return said.pop()


def _is_yes(word: str) -> bool:
    return word.lower() in ("yes", "true")


def _is_article(text: str, match: re.Match[str]) -> bool:
    """Whether a "no" belongs to the word behind it, as in "there is no proof"."""
    return bool(re.match(r"\s+\w", text[match.end() :]))


def _choice(text: str, values: tuple[str | int | bool, ...]) -> str | int | bool | None:
    """The one choice that is named; of those that overlap ("not supported", "supported") the longest."""
    spans = [
        (match.start(), match.end(), value)
        for value in values
        for match in re.finditer(rf"(?<!\w){re.escape(str(value))}(?!\w)", text, re.IGNORECASE)
    ]
    longest = [
        (start, end, value)
        for start, end, value in spans
        if not any(begin <= start and end <= stop and stop - begin > end - start for begin, stop, _ in spans)
    ]
    named = {str(value): value for _, _, value in longest}
    if len(named) != 1 or any(_NEGATION.search(text[:start]) for start, _, _ in longest):
        return None
    return next(iter(named.values()))
