"""What a scripted model can say: a `Reply`, or an `ErrorReply` of the server in its place.

A rule may give its reply in shorter forms, which `as_reply` turns into one of the two: a text, a mapping or list
(sent as JSON text, for calls with a shape), or a callable that makes any of these from the request.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import JsonValue

from dynaflow.testing.request import JsonObject, Request, count_tokens

FinishReason = Literal["stop", "length", "tool_calls", "content_filter"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of a reply; `arguments` is the JSON text, which a test may make as malformed as it likes."""

    name: str
    arguments: str
    id: str | None = None
    """None is an id made from the call's place in the reply."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply of a model, and what goes wrong while it is sent."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    """Sent apart from the text, as `reasoning_content`."""
    refusal: str = ""
    finish_reason: FinishReason | None = None
    """None is `tool_calls` where there are some, otherwise `stop`."""
    usage: bool = True
    """False leaves out the usage although it was asked for."""
    cut_after: int | None = None
    """The connection is closed after so many chunks of the stream; after 0, before the first byte. A plain reply that
    is cut is never begun."""
    stall_after: int | None = None
    """The reply hangs after so many chunks, until the client goes away or the server stops."""

    @property
    def finish(self) -> FinishReason:
        """The finish reason as it is sent."""
        return self.finish_reason or ("tool_calls" if self.tool_calls else "stop")

    @property
    def completion_tokens(self) -> int:
        """`count_tokens` of the texts and of each tool call's arguments."""
        texts = [self.text, self.reasoning, self.refusal, *(call.arguments for call in self.tool_calls)]
        return sum(map(count_tokens, texts))


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """An HTTP error in place of a reply."""

    status: int
    message: str
    type: str = "invalid_request_error"
    code: str | int | None = None
    param: str | None = None
    retry_after: float | None = None
    """Seconds, sent as the header Retry-After."""
    may_retry: bool = True
    """False sends the header `x-should-retry: false`."""
    details: Mapping[str, JsonValue] | None = None
    """Further fields of the error object."""

    @property
    def body(self) -> JsonObject:
        """The JSON body: one error object, as all OpenAI-compatible servers send it."""
        fields: JsonObject = {"message": self.message, "type": self.type, "param": self.param, "code": self.code}
        return {"error": fields | dict(self.details or {})}

    @property
    def headers(self) -> dict[str, str]:
        """The headers that tell a client whether and when to try again."""
        headers = {} if self.retry_after is None else {"Retry-After": f"{self.retry_after:g}"}
        return headers if self.may_retry else headers | {"x-should-retry": "false"}


Answer: TypeAlias = str | Mapping[str, object] | Sequence[object] | Reply | ErrorReply
"""What a rule may reply: a mapping or list is sent as JSON text."""

Responder: TypeAlias = Callable[[Request], Answer]
"""A rule's reply that depends on the request."""


def tool_call(name: str, /, **arguments: object) -> Reply:
    """A reply that calls one tool: `tool_call("run_workflow", program="return 1")`."""
    return Reply(tool_calls=(ToolCall(name, json.dumps(arguments)),))


def as_reply(answer: Answer | Responder, request: Request) -> Reply | ErrorReply:
    """The reply that a rule's answer stands for, given the request."""
    if isinstance(answer, Reply | ErrorReply):
        return answer
    if isinstance(answer, str):
        return Reply(answer)
    if callable(answer):
        return as_reply(answer(request), request)
    return Reply(json.dumps(answer, ensure_ascii=False))
