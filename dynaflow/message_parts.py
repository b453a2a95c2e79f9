"""A message of the main agent, split into prose, fenced blocks and answer tags, with its reasoning left out.

The message is read once from left to right, and whatever opens first governs: a tag inside a fence is part of the block,
a fence inside an answer tag is part of the answer, and what stands in a reasoning tag is gone whatever it holds. A reasoning
tag that is never closed takes the rest of the message with it; one that was never opened takes all that came before.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from dynaflow.program_text import asks_agents, ends_in_text


@dataclass(frozen=True, slots=True)
class Prose:
    """Text outside of fences and tags."""

    raw: str


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block. `language` is the first word after the opening fence, in lower case."""

    raw: str
    language: str
    body: str


@dataclass(frozen=True, slots=True)
class Tagged:
    """What an answer tag holds; of a tag that was never closed, its first paragraph."""

    raw: str
    content: str


Part = Prose | Fence | Tagged

_THOUGHT = r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad|analysis|begin_of_thought|end_of_thought)"
_UNTHINK = rf"""(?<!["'`])(?:<\s*/\s*(?:\w+:)?{_THOUGHT}\s*>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>)"""
_END_OF_THOUGHT = re.compile(_UNTHINK, re.I)
_MARK = re.compile(
    rf"""
    (?P<fence>
        (?P<ticks>`{{3,}})(?P<info>[^\n`<]*)(?:\n|\Z)
      | (?P<inline_ticks>`{{3,}})(?:(?P<inline_language>py(?:thon)?3?)[ \t]+)?(?P<inline>[^\n`]+)(?P=inline_ticks)(?!`)
      | ^[ \t]*(?P<tildes>~{{3,}})(?P<tilde_info>[^\n<]*)(?:\n|\Z)
    )
    | (?P<unthink>{_UNTHINK})
    | (?P<think>(?<!["'`])(?:<(?:\w+:)?{_THOUGHT}(?:\s[^<>\n]*)?>|\[THINK\]|◁think▷|<\|begin_of_thought\|>))
    | (?P<unanswer>(?<!["'`])<\s*[/\\]\s*(?:final[_ -]?)?answer\s*>)
    | (?P<answer>(?<!["'`])<\s*(?:final[_ -]?)?answer\s*>)
    """,
    re.X | re.I | re.M,
)
_AFTER_UNCLOSED = re.compile(r"^[ \t]*</?(?:answer|final_answer|think|tool_call)\b|<\|", re.M | re.I)
_ESCAPED_TAG = re.compile(rf"&lt;\s*(/?\s*(?:answer|final_answer|{_THOUGHT}))\s*&gt;", re.I)
_ANSWER_LINE = re.compile(r"^[ \t]*<(?:final_)?answer>(?P<content>.*?)</(?:final_)?answer>[ \t]*$", re.M | re.S | re.I)
_CLOSINGS_TRIED = 20
_CONTROL = re.compile(r"(?:<\|\w{1,32}\|>|</s>)\Z")


def split_message(text: str) -> list[Part]:
    """The parts of a message in their order. Joined, their `raw` texts are the message without its reasoning."""
    text = _without_control(text.replace("\r\n", "\n"))
    if "```" not in text and "<" not in text:
        text = _ESCAPED_TAG.sub(r"<\1>", text)
    parts: list[Part] = []
    position = 0
    while mark := _MARK.search(text, position):
        if mark.start() > position:
            parts.append(Prose(text[position : mark.start()]))
        position = _take(text, mark, parts)
    if position < len(text):
        parts.append(Prose(text[position:]))
    return parts


def _without_control(text: str) -> str:
    """The text without the control tokens that some servers leave at its end."""
    text = text.rstrip()
    while token := _CONTROL.search(text[-40:]):
        text = text[: -len(token.group())].rstrip()
    return text


def _take(text: str, mark: re.Match[str], parts: list[Part]) -> int:
    """Add what the mark opens to the parts, and give where it ends."""
    if mark["fence"] is not None:
        fence = _fence(text, mark)
        parts.append(_answer_in(fence) or fence)
        return mark.start() + len(fence.raw)
    if mark["unthink"] is not None:
        parts.clear()
        return mark.end()
    if mark["think"] is not None:
        end_of_thought = _END_OF_THOUGHT.search(text, mark.end())
        return end_of_thought.end() if end_of_thought else len(text)
    if mark["unanswer"] is not None:
        _close_unopened(mark, parts)
        return mark.end()
    content, end = _answer(text, mark.end())
    parts.append(Tagged(text[mark.start() : end], content))
    return end


def _fence(text: str, mark: re.Match[str]) -> Fence:
    if mark["inline"] is not None:
        return Fence(mark.group(), (mark["inline_language"] or "").lower(), mark["inline"])
    opening = mark["ticks"] or mark["tildes"]
    language, code = _read_info(mark["info"] if mark["ticks"] else mark["tilde_info"])
    body, end = _fenced(text, mark.end(), opening)
    return Fence(text[mark.start() : end], language, code + body)


def _answer_in(fence: Fence) -> Tagged | None:
    """The answer that a model wrote as a line of a block without a call, which can be no program."""
    answer = _ANSWER_LINE.search(fence.body)
    return Tagged(fence.raw, answer["content"]) if answer and not asks_agents(fence.body) else None


def _read_info(info: str) -> tuple[str, str]:
    """Language, and the code that a model began on the line of the fence."""
    word, _, rest = info.strip().partition(" ")
    code = rest + "\n" if re.match(r"\s*(?:import |from |#)|.*\bask\(", rest) else ""
    return word.strip("{}.").lower(), code


def _fenced(text: str, start: int, opening: str) -> tuple[str, int]:
    """Body and end of the block that begins at `start`.

    It ends at the first closing line that stands outside the program's own texts; else at the first closing line, or
    where the next Python block opens; else at a fence that ends a line; else it is unclosed.
    """
    fence = rf"{re.escape(opening[0])}{{{len(opening)},}}"
    closings = re.compile(rf"^[ \t]*{fence}(?:[ \t]*$|(?=[ \t]*py))", re.M).finditer(text, start)
    first = None
    for closing in itertools.islice(closings, _CLOSINGS_TRIED):
        if not ends_in_text(text[start : closing.start()]):
            return _body(text, start, closing)
        first = first or closing
    first = first or re.compile(rf"{fence}[ \t]*$", re.M).search(text, start)
    if first:
        return _body(text, start, first)
    after = _AFTER_UNCLOSED.search(text, start)
    end = after.start() if after else len(text)
    return text[start:end], end


def _body(text: str, start: int, closing: re.Match[str]) -> tuple[str, int]:
    body = text[start : closing.start()].removesuffix("\n")
    opens_another = re.compile(r"[ \t]*py", re.I).match(text, closing.end())
    return body, closing.start() if opens_another else closing.end()


def _answer(text: str, start: int) -> tuple[str, int]:
    """Content and end of the answer tag that was opened before `start`."""
    position, first_fence = start, None
    while mark := _MARK.search(text, position):
        if mark["fence"] is not None:
            first_fence = mark.start() if first_fence is None else first_fence
            position = mark.start() + len(_fence(text, mark).raw)
        elif mark["unanswer"] is not None:
            return text[start : mark.start()], mark.end()
        elif mark["answer"] is not None:
            break
        else:
            position = mark.end()
    return _unclosed(text, start, first_fence, mark.start() if mark else len(text))


def _unclosed(text: str, start: int, first_fence: int | None, end: int) -> tuple[str, int]:
    content = text[start:end]
    begin = len(content) - len(content.lstrip())
    if first_fence == start + begin and (mark := _MARK.match(text, first_fence)):
        raw = _fence(text, mark).raw
        return raw, first_fence + len(raw)
    if first_fence is not None:
        content = text[start:first_fence]
    blank = re.search(r"\n[ \t]*\n", content[begin:])
    if blank:
        content = content[: begin + blank.start()]
    return content, start + len(content)


def _close_unopened(mark: re.Match[str], parts: list[Part]) -> None:
    """An answer tag that was closed and never opened: it holds the line before."""
    if not parts or not isinstance(parts[-1], Prose):
        return
    before = parts.pop().raw
    head, _, line = before.rstrip().rpartition("\n")
    if head:
        parts.append(Prose(head + "\n"))
    parts.append(Tagged(before[len(head) :] + mark.group(), line))
