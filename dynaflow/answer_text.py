"""The value of an answer: what is left of a message or a tag when the wrapping is taken off.

Small models box, embolden or fence their answers even where they are asked for the bare value, and forget the tag but
write a last line `Answer: 12`. Only what encloses the whole value is taken off; the value itself is not touched.
"""

from __future__ import annotations

import re

_LABEL = re.compile(r"^[\W_]*(?:the[ ]+)?(?:final[ ]+)?answer(?:[ ]+is)?[*_ ]*[:：][*_ ]*(?P<value>.*)$", re.I)
_LAYERS = 5
_BRACE = re.compile(r"\\(?:boxed|fbox)\s*\{|(?<!\\)[{}]")
_WRAPPINGS = (
    re.compile(r"\A(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<value>.*?)\n?[ \t]*(?P=fence)\Z", re.S),
    re.compile(r"\A\*\*(?P<value>[^*]+)\*\*\.?\Z"),
    re.compile(r"\A`(?P<value>[^`]+)`\Z"),
    re.compile(r"\A\$\$?(?P<value>[^$]+)\$\$?\Z"),
    re.compile(r"\A\\\((?P<value>.+)\\\)\Z", re.S),
    re.compile(r"\A\\\[(?P<value>.+)\\\]\Z", re.S),
)
_PLACEHOLDER = re.compile(
    r"\A[\s.…_\-]*\Z"
    r"|\A[\[{<(]*(?:the|your|final|my)[ _](?:final[ _])?(?:answer|value|result)(?: here| goes here)?[\]}>)]*\Z"
    r"|\A[\[{<]+[ ]*(?:answer|value|result|best|final|output|solution|[a-z]+[._][a-z_.]+)[ ]*[\]}>]+\Z",
    re.I,
)


def bare_answer(content: str) -> str:
    """The value without the box, fence, emphasis or `Answer:` that encloses it."""
    value = content.strip()
    for _ in range(_LAYERS):
        value = _unwrapped(value)
    return value


def answer_of_message(text: str) -> str:
    """The answer of a message without a tag: its last line after `Answer:`, else its last box, else all of it."""
    value = _labelled(text)
    if value is None:
        found = boxes(text)
        value = found[-1] if found else text
    return bare_answer(value)


def is_placeholder(answer: str) -> bool:
    """Whether a tag holds nothing, dots, or the words of a template such as `{result}` or `your answer here`."""
    return _PLACEHOLDER.match(answer.strip()) is not None


def boxes(text: str) -> list[str]:
    r"""What each outermost `\boxed{...}` of the text holds; a box that is cut off counts for nothing."""
    found: list[tuple[int, int]] = []
    opened: list[tuple[int, bool]] = []
    for brace in _BRACE.finditer(text):
        if brace.group() != "}":
            opened.append((brace.end(), brace.group() != "{"))
        elif opened:
            start, is_box = opened.pop()
            while is_box and found and found[-1][0] > start:
                found.pop()
            if is_box:
                found.append((start, brace.start()))
    return [text[start:end] for start, end in found]


def _unwrapped(value: str) -> str:
    for wrapping in _WRAPPINGS:
        if match := wrapping.match(value):
            return match["value"].strip()
    found = boxes(value)
    if len(found) == 1:
        return found[0].strip()
    label = _LABEL.match(value) if "\n" not in value else None
    return label["value"].strip() if label and label["value"].strip() else value


def _labelled(text: str) -> str | None:
    """What follows `Answer:` on the last line, or on the last line but one with the value alone below it."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not lines:
        return None
    last = _LABEL.match(lines[-1])
    if last and last["value"]:
        return last["value"]
    above = _LABEL.match(lines[-2]) if len(lines) > 1 else None
    return lines[-1] if above and not above["value"] else None
