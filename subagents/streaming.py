"""What a stream of chat chunks brings, joined to one reply.

Servers differ in what they leave out, so nothing is taken for granted here: choices may be null, usage may be missing,
and a character may come as two halves of a surrogate pair in two chunks. A reply that is blank, refused or cut off
is a failure, never a short success.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import get_args

from subagents.failures import AttemptFailed
from subagents.messages import UNKNOWN_USAGE, ChatReply, FinishReason, TokenUsage, ToolRequest

_FINISHED = frozenset(get_args(FinishReason))
_NOTHING: Mapping[str, object] = {}


@dataclass(slots=True)
class _ToolParts:
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class Collected:
    """What a stream has brought so far."""

    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    tools: dict[int, _ToolParts] = field(default_factory=dict)
    finish_reason: str | None = None
    usage: TokenUsage = UNKNOWN_USAGE

    def add(self, chunk: object, on_text: Callable[[str], None] | None) -> None:
        """Take one chunk as its JSON was read; `on_text` is given its text. Raises TypeError or ValueError for another."""
        data = _mapping(chunk)
        if usage := _mapping(data.get("usage")):
            told = usage.get("prompt_tokens"), usage.get("completion_tokens")
            counts = {"prompt": told[0] or 0, "completion": told[1] or 0, "unknown": int(None in told)}
            self.usage = TokenUsage.model_validate(counts)
        for item in _list(data.get("choices"))[:1]:
            choice = _mapping(item)
            self.finish_reason = _text(choice.get("finish_reason")) or self.finish_reason
            self._add_delta(_mapping(choice.get("delta")), on_text)

    def _add_delta(self, delta: Mapping[str, object], on_text: Callable[[str], None] | None) -> None:
        if content := _text(delta.get("content")):
            self.text.append(content)
            if on_text is not None:
                on_text(content)
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(thought, str):
            self.reasoning.append(thought)
        if refusal := _text(delta.get("refusal")):
            self.refusal.append(refusal)
        for call in _list(delta.get("tool_calls")):
            self._add_tool(_mapping(call))

    def _add_tool(self, call: Mapping[str, object]) -> None:
        index = call.get("index", 0)
        if not isinstance(index, int):
            raise TypeError(f"the index of a tool call is {index!r}")
        parts = self.tools.setdefault(index, _ToolParts())
        parts.id = parts.id or _text(call.get("id"))  # some servers repeat the id in every piece
        function = _mapping(call.get("function"))
        parts.name += _text(function.get("name"))
        parts.arguments += _text(function.get("arguments"))

    def reply(self, model: str) -> ChatReply:
        """The whole reply. Raises `AttemptFailed` for one that is cut, refused or blank."""
        text = _whole(self.text)
        tools = tuple(
            ToolRequest(id=parts.id, name=parts.name, arguments=_whole([parts.arguments]))
            for _, parts in sorted(self.tools.items())
        )
        self._check(blank=not text.strip() and not tools)
        finish: FinishReason = self.finish_reason if self.finish_reason in _FINISHED else "unknown"  # type: ignore[assignment]
        return ChatReply(
            text=text,
            reasoning=_whole(self.reasoning),
            tool_requests=tools,
            finish_reason=finish,
            usage=self.usage,
            model=model,
        )

    def _check(self, *, blank: bool) -> None:
        if self.finish_reason is None:
            raise AttemptFailed("cut", "the stream ended before the reply was whole", transient=True, usage=self.usage)
        if self.refusal or self.finish_reason == "content_filter":
            why = f": {_whole(self.refusal)}" if self.refusal else " (content filter)"
            raise AttemptFailed("refused", f"the model refused to reply{why}", usage=self.usage)
        if self.finish_reason == "length":
            tokens = f" after {self.usage.completion} tokens" if self.usage.known else ""
            raise AttemptFailed(
                "length", f"the reply was cut off{tokens}; allow more with max_tokens", usage=self.usage
            )
        if blank:
            raise AttemptFailed("blank", "the reply was blank", usage=self.usage)


def _whole(pieces: list[str]) -> str:
    """The pieces as one text that can be encoded: halves of a surrogate pair are joined, lone ones replaced."""
    text = "".join(pieces)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _mapping(value: object) -> Mapping[str, object]:
    if isinstance(value, dict):
        return value
    if value is None:
        return _NOTHING
    raise TypeError(f"an object was due, not {value!r}")


def _list(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    if value is None:
        return []
    raise TypeError(f"a list was due, not {value!r}")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    raise TypeError(f"a text was due, not {value!r}")
