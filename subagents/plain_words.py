"""A number, truth value or choice that a model wrote in a sentence instead of in JSON.

Only a statement is read: what stands behind the last `Answer:` or `Verdict:` of a text, or the whole text where it is
one short line. And what is ambiguous there is no answer: a second number, two choices that are both named, a yes
beside a no, a choice behind a "not" or before an "if". Asking once more costs less than a wrong value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from subagents.shapes import Choice, Shape, Simple

_Value = TypeVar("_Value")
_LONGEST_LINE = 100
_LONGEST_STATEMENT = 200
_LABEL = re.compile(r"\b(?:answer|verdict)(?:[ \t]{1,3}is\b|[ \t]{0,3}[:=])[ \t:]{0,3}", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?:(?<![\w.,)\]])([-−]))?[$€£]?(?<![\w.,])"
    r"(\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?)(?:\s*/\s*(\d+))?"
    r"(?!\w|[.,/]?\d|\s*(?:dozen|hundred|thousand|million|billion|trillion)s?\b)",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_TRUTH: Mapping[str, bool] = {"yes": True, "true": True, "no": False, "false": False}
_DOUBT = re.compile(
    r"n't\b|\b(?:no|not|never|cannot|nothing|none|neither|nor|hardly|barely|without|far from|"
    r"if|unless|whether|would|could|should|may|might)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"[\s,]*(?:if|unless|or)\b", re.IGNORECASE)


def in_plain_words(text: str, shape: Shape) -> int | float | bool | str | None:
    """The value that the text names; None if there is none, or more than one."""
    statement = _statement(text)
    if statement is None or "?" in statement:
        return None
    match shape:
        case Simple(kind="int"):
            number = _number(statement)
            return int(number) if number is not None and number.is_integer() else None
        case Simple(kind="float"):
            return _number(statement)
        case Simple(kind="bool"):
            return _named(statement, _TRUTH)
        case Choice(values=values):
            return _named(statement, {str(value): value for value in values})
    return None


def _statement(text: str) -> str | None:
    """The line behind the last label, or the text itself if it is one short line without a label."""
    text = re.sub(r"[*`]", "", text).strip()
    labels = list(_LABEL.finditer(text))
    if not labels:
        return text if len(text) <= _LONGEST_LINE and "\n" not in text else None
    line = text[labels[-1].end() :].strip().partition("\n")[0]
    return line if len(line) <= _LONGEST_STATEMENT else None


def _number(statement: str) -> float | None:
    """The only number, or of a calculation such as `20 - 8 = 12` the result."""
    calculation, _, result = statement.rpartition("=")
    found = list(_NUMBER.finditer(result))
    if "=" in calculation or len(found) != 1 or _DOUBT.search(result[: found[0].start()]):
        return None
    if len(_DIGIT.findall(result)) > len(_DIGIT.findall(found[0][0])):  # digits that are no number, as in "p7" or "5k"
        return None
    sign, upper, lower = found[0].groups()
    if lower is not None and not float(lower):
        return None
    number = float(upper.replace(",", "")) / float(lower or 1)
    if abs(number) >= 2**53:  # beyond it a float is not the number that was written
        return None
    return -number if sign else number


def _named(statement: str, names: Mapping[str, _Value]) -> _Value | None:
    """The value that the statement begins with, or else the only one that it names."""
    for name, value in names.items():
        begins = re.match(rf"[\s\"'(\[]*{_word(name)}[\s\"'\])]*(?:[.;:!)]|$)", statement, _flags(name))
        if begins and not _CONDITION.match(statement[begins.end() :]):
            return value
    spans = _longest([(m.start(), m.end(), name) for name in names for m in _mentions(statement, name)])
    values = {str(names[name]): names[name] for _, _, name in spans}
    if len(values) != 1:
        return None
    doubted = any(_DOUBT.search(statement[:start]) or _CONDITION.match(statement[end:]) for start, end, _ in spans)
    return None if doubted else next(iter(values.values()))


def _mentions(statement: str, name: str) -> list[re.Match[str]]:
    """Where a name stands as a word. A short one, which may be an article, counts only at the end."""
    end = r"(?=[\s\"'.!)\]]*$)" if len(name) == 1 or name == "no" else ""
    return list(re.finditer(_word(name) + end, statement, _flags(name)))


def _longest(spans: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Those that lie in no longer one: "supported" in "not supported" is not meant."""
    return [
        (start, end, name)
        for start, end, name in spans
        if not any(begin <= start and end <= stop and stop - begin > end - start for begin, stop, _ in spans)
    ]


def _word(name: str) -> str:
    """A pattern of the name as a whole word, not as a part of another word or number."""
    return rf"(?<![\w-])(?<!\d[.,]){re.escape(name)}(?![\w-]|[.,]\d)"


def _flags(name: str) -> re.RegexFlag:
    return re.NOFLAG if len(name) == 1 else re.IGNORECASE
