"""A chat-completion request as the loopback server received it, and the deterministic count of its tokens.

Rules, callables and tests look at a request through the few properties here: who asks (`model`), what was said
(`system`, `user`, `last`), and what was asked for (`seed`, `tool_names`, `json_schema`). Fields that have no name here
are kept and can be read from `model_extra`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

JsonObject: TypeAlias = dict[str, JsonValue]

MAIN = "main"
"""The model name by which a scripted main agent is known; every other name is a sub-agent's."""


def count_tokens(text: str) -> int:
    """Tokens of a text by the rule of this package: one for every four characters that were begun, none for none."""
    return (len(text) + 3) // 4


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")


class WireMessage(_Wire):
    """One message on the wire. `content` is a text, a list of parts, or null beside tool calls."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[JsonObject] | None = None
    tool_calls: list[JsonObject] = Field(default_factory=list)
    tool_call_id: str | None = None

    @property
    def text(self) -> str:
        """The message's text; of a list of parts, their texts joined."""
        if isinstance(self.content, list):
            return "".join(str(part.get("text", "")) for part in self.content)
        return self.content or ""


class StreamOptions(_Wire):
    """What a request wants in its stream."""

    include_usage: bool = False


class Request(_Wire):
    """The parsed body of one `POST /v1/chat/completions`."""

    model: str
    messages: list[WireMessage] = Field(min_length=1)
    stream: bool = False
    stream_options: StreamOptions | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    tools: list[JsonObject] = Field(default_factory=list)
    response_format: JsonObject | None = None

    @property
    def system(self) -> str:
        """The text of all system messages."""
        return "\n".join(message.text for message in self.messages if message.role in ("system", "developer"))

    @property
    def user(self) -> str:
        """The text of the last user message."""
        return next((message.text for message in reversed(self.messages) if message.role == "user"), "")

    @property
    def last(self) -> str:
        """The text of the last message, whoever's it is: in a loop of tool calls, the result of the last tool."""
        return self.messages[-1].text

    @property
    def tool_names(self) -> tuple[str, ...]:
        """Names of the tools that are on offer."""
        functions = (tool.get("function") for tool in self.tools)
        return tuple(str(function.get("name")) for function in functions if isinstance(function, dict))

    @property
    def json_schema(self) -> JsonObject | None:
        """The JSON schema that the reply must fit, None where none was asked for."""
        wrapper = (self.response_format or {}).get("json_schema")
        schema = wrapper.get("schema") if isinstance(wrapper, dict) else None
        return schema if isinstance(schema, dict) else None

    @property
    def wants_usage(self) -> bool:
        """A plain reply always carries usage, a stream only when asked."""
        return not self.stream or bool(self.stream_options and self.stream_options.include_usage)

    @property
    def prompt_tokens(self) -> int:
        """Tokens of all messages: `count_tokens` of each text and of each tool call's arguments."""
        return sum(count_tokens(message.text) + _argument_tokens(message) for message in self.messages)

    def summary(self) -> str:
        """The request in a line or two, for the messages of failed tests."""
        parts = [f"model={self.model!r}"]
        parts += [f"{name}={_short(text)!r}" for name, text in (("system", self.system), ("user", self.user)) if text]
        if self.messages[-1].role != "user":
            parts.append(f"last message ({self.messages[-1].role})={_short(self.last)!r}")
        return ", ".join(parts)


def _argument_tokens(message: WireMessage) -> int:
    functions = (call.get("function") for call in message.tool_calls)
    return sum(count_tokens(str(function.get("arguments", ""))) for function in functions if isinstance(function, dict))


def _short(text: str) -> str:
    return text if len(text) <= 160 else text[:100] + " … " + text[-57:]
