"""What a stream of chat chunks brings, joined to one reply.

Servers differ in what they leave out, so nothing is taken for granted here: choices may be null, usage may be missing,
and a character may come as two halves of a surrogate pair in two chunks. A reply that is blank, refused or cut off
is a failure, never a short success.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

from subagents.failures import AttemptFailed
from subagents.messages import ChatReply, FinishReason, TokenUsage, ToolRequest

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk
    from openai.types.chat.chat_completion_chunk import ChoiceDelta, ChoiceDeltaToolCall

_FINISHED = frozenset(get_args(FinishReason))
_UNKNOWN_USAGE = TokenUsage(known=False)


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
    usage: TokenUsage = _UNKNOWN_USAGE

    def add(self, chunk: ChatCompletionChunk, on_text: Callable[[str], None] | None) -> None:
        """Take one chunk; `on_text` is given the piece of text in it."""
        if chunk.usage is not None:
            self.usage = TokenUsage(
                prompt=chunk.usage.prompt_tokens or 0, completion=chunk.usage.completion_tokens or 0
            )
        for choice in (chunk.choices or [])[:1]:
            self.finish_reason = choice.finish_reason or self.finish_reason
            if choice.delta is not None:
                self._add_delta(choice.delta, on_text)

    def _add_delta(self, delta: ChoiceDelta, on_text: Callable[[str], None] | None) -> None:
        if delta.content:
            self.text.append(delta.content)
            if on_text is not None:
                on_text(delta.content)
        extra = delta.model_extra or {}
        thought = extra.get("reasoning_content") or extra.get("reasoning")
        if isinstance(thought, str):
            self.reasoning.append(thought)
        if delta.refusal:
            self.refusal.append(delta.refusal)
        for call in delta.tool_calls or ():
            self._add_tool(call)

    def _add_tool(self, call: ChoiceDeltaToolCall) -> None:
        parts = self.tools.setdefault(call.index, _ToolParts())
        parts.id = parts.id or call.id or ""  # some servers repeat the id in every piece
        if call.function is not None:
            parts.name += call.function.name or ""
            parts.arguments += call.function.arguments or ""

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
