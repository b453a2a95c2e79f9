"""What is said to a model endpoint and what comes back: the plain records that cross floors.

One request to an endpoint is an *attempt*; a call may need several (retries, one repair, a tool loop).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class Frozen(BaseModel):
    """An immutable record that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Sampling(Frozen):
    """How a model samples. `temperature` is always sent; the others only when set."""

    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    top_p: float | None = Field(default=None, gt=0.0, le=1.0)
    max_tokens: int = Field(default=1024, ge=1)
    """Tokens of the reply at most; a reply that is cut there is a failure."""
    seed: int | None = None


class ToolRequest(Frozen):
    """A tool call that a model asked for; `arguments` is the JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


class Message(Frozen):
    """One chat message."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_requests: tuple[ToolRequest, ...] = ()
    tool_request_id: str | None = None
    """On a `tool` message: which request it answers."""


class ToolSpec(Frozen):
    """A tool as an endpoint is told of it; `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: dict[str, JsonValue]


class TokenUsage(Frozen):
    """Tokens of one or more attempts, as far as the endpoints told them."""

    prompt: int = 0
    completion: int = 0
    unknown: int = 0
    """Attempts that went to a model and for which no usage arrived; their tokens are in neither number."""

    def __add__(self, other: TokenUsage) -> TokenUsage:
        return TokenUsage(
            prompt=self.prompt + other.prompt,
            completion=self.completion + other.completion,
            unknown=self.unknown + other.unknown,
        )

    @property
    def known(self) -> bool:
        """Whether the numbers are all there is."""
        return not self.unknown

    @property
    def total(self) -> int:
        return self.prompt + self.completion


UNKNOWN_USAGE = TokenUsage(unknown=1)
"""Of one attempt for which no usage arrived."""


class ChatRequest(Frozen):
    """One request to an endpoint. `schema_` is the JSON schema of the reply where a server can enforce one."""

    messages: tuple[Message, ...]
    sampling: Sampling = Sampling()
    tools: tuple[ToolSpec, ...] = ()
    schema_: dict[str, JsonValue] | None = None


FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "unknown"]


class ChatReply(Frozen):
    """What one attempt brought. `reasoning` is text that the endpoint kept apart from the answer."""

    text: str
    reasoning: str = ""
    tool_requests: tuple[ToolRequest, ...] = ()
    finish_reason: FinishReason = "stop"
    usage: TokenUsage = UNKNOWN_USAGE
    model: str = ""


class Attempt(Frozen):
    """The record of one request to an endpoint, whatever became of it."""

    endpoint: str
    """What was asked, without secrets: the endpoint string, or that of one replica where there are several."""
    agent: str | None = None
    """The sub-agent that asked; None is the main agent."""
    seconds: float
    """From the request to its end; what was waited before is not in it."""
    waited: float = 0.0
    """Seconds that the request waited for its turn at the endpoint, which takes only so many at once."""
    usage: TokenUsage
    cost: Decimal | None = None
    """US dollars; None where the price or the usage is not known."""
    outcome: Literal["ok", "failed"]
    cause: str | None = None
    """For a failed attempt: status or reason in a few words (`429`, `connect`, `timeout`, `blank`, `length`)."""
    transient: bool | None = None
    """For a failed attempt: whether its cause may pass, so that asking again can help."""
    retry_after: float | None = None
    """Seconds that are waited before the next attempt."""


class Switch(Frozen):
    """A call goes on with the fall-back of its agent: another agent, or the same one on another endpoint."""

    from_agent: str
    from_endpoint: str | None
    """None for an agent that has no model."""
    to_agent: str
    to_endpoint: str | None
    cause: str
    """The name of the failure, e.g. `AgentUnavailable`."""
    message: str
