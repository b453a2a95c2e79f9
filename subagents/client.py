"""One endpoint: a model behind an OpenAI-compatible server, asked once at a time, always streaming.

A stream that is cancelled stops the work on the server; a plain request would not. Failures are told apart
by what can be done about them: `AttemptFailed.transient` says whether asking again may help. The client's own
retries are switched off, because a hidden retry would be missing from the journal.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import anyio
from pydantic import JsonValue

from subagents.messages import ChatReply, ChatRequest, FinishReason, Message, TokenUsage, ToolRequest

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletionChunk

_CONTEXT_WORDS = re.compile(
    r"context (length|size|window)|exceed_context|maximum context|too many tokens|longer than the (maximum )?context",
    re.I,
)
_SCHEMA_WORDS = re.compile(r"response_format|json_schema|structured output", re.I)
_TOKENS_WORDS = re.compile(r"max_completion_tokens", re.I)


class AttemptFailed(Exception):
    """One request to an endpoint brought no usable reply. `cause` is one word; `transient` says whether to ask again."""

    def __init__(
        self,
        cause: str,
        message: str,
        *,
        transient: bool = False,
        retry_after: float | None = None,
        usage: TokenUsage | None = None,
    ) -> None:
        super().__init__(message)
        self.cause = cause
        self.transient = transient
        self.retry_after = retry_after
        self.usage = usage or TokenUsage()


@dataclass(slots=True)
class Endpoint:
    """A model at an address. What it turns out not to support is remembered here."""

    name: str
    """The endpoint string, without secrets."""
    model: str
    client: AsyncOpenAI
    context_tokens: int | None = None
    supports_tools: bool | None = None
    supports_schema: bool = True
    extra_body: dict[str, JsonValue] = field(default_factory=dict)
    _newer_limit_name: bool = False

    async def chat(
        self, request: ChatRequest, *, timeout: float, on_text: Callable[[str], None] | None = None
    ) -> ChatReply:
        """One attempt. Raises `AttemptFailed`."""
        try:
            return await self._attempt(request, timeout, on_text)
        except AttemptFailed as error:
            if not self._learnt_from(error, request):
                raise
        return await self._attempt(request, timeout, on_text)

    def _learnt_from(self, error: AttemptFailed, request: ChatRequest) -> bool:
        """Whether a refusal taught how to ask this server; a refused request costs nothing, so it is asked again."""
        if error.cause != "refused request":
            return False
        if request.schema_ is not None and self.supports_schema and _SCHEMA_WORDS.search(str(error)):
            self.supports_schema = False
            return True
        if not self._newer_limit_name and _TOKENS_WORDS.search(str(error)):
            self._newer_limit_name = True
            return True
        return False

    async def _attempt(self, request: ChatRequest, timeout: float, on_text: Callable[[str], None] | None) -> ChatReply:
        collected = _Collected()
        with _failures(collected):
            with anyio.fail_after(timeout):
                stream = await self.client.chat.completions.create(**self._body(request), timeout=timeout)
                async with stream:
                    async for chunk in stream:
                        collected.add(chunk, on_text)
        return collected.reply(self.model)

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        sampling = request.sampling
        limit = "max_completion_tokens" if self._newer_limit_name else "max_tokens"
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [_as_dict(message) for message in request.messages],
            "temperature": sampling.temperature,
            limit: sampling.max_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if sampling.top_p is not None:
            body["top_p"] = sampling.top_p
        if sampling.seed is not None:
            body["seed"] = sampling.seed
        if request.tools:
            body["tools"] = [{"type": "function", "function": tool.model_dump()} for tool in request.tools]
        if request.schema_ is not None and self.supports_schema:
            schema = {"name": "reply", "schema": request.schema_, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        if self.extra_body:
            body["extra_body"] = self.extra_body
        return body


@dataclass(slots=True)
class _Collected:
    """What a stream has brought so far."""

    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    tools: dict[int, dict[str, str]] = field(default_factory=dict)
    finish_reason: str | None = None
    usage: TokenUsage = TokenUsage(known=False)

    def add(self, chunk: ChatCompletionChunk, on_text: Callable[[str], None] | None) -> None:
        if chunk.usage is not None:
            self.usage = TokenUsage(prompt=chunk.usage.prompt_tokens, completion=chunk.usage.completion_tokens)
        for choice in chunk.choices[:1]:
            delta = choice.delta
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
                self._add_tool(call.index, call.id, call.function)
            self.finish_reason = choice.finish_reason or self.finish_reason

    def _add_tool(self, index: int, identity: str | None, function: Any) -> None:  # noqa: ANN401 - the client's own type
        tool = self.tools.setdefault(index, {"id": "", "name": "", "arguments": ""})
        tool["id"] += identity or ""
        if function is not None:
            tool["name"] += function.name or ""
            tool["arguments"] += function.arguments or ""

    def reply(self, model: str) -> ChatReply:
        """The whole reply. Raises `AttemptFailed` for one that is blank, refused, or cut off."""
        text = "".join(self.text)
        if self.finish_reason is None:
            raise AttemptFailed("cut", "the stream ended before the reply was whole", transient=True, usage=self.usage)
        if self.refusal or self.finish_reason == "content_filter":
            why = "".join(self.refusal) or "its content filter"
            raise AttemptFailed("refused", f"the model refused: {why}", usage=self.usage)
        if self.finish_reason == "length":
            message = f"the reply was cut off after {self.usage.completion} tokens; allow more with max_tokens"
            raise AttemptFailed("length", message, usage=self.usage)
        tools = tuple(ToolRequest(**tool) for _, tool in sorted(self.tools.items()))
        if not text.strip() and not tools:
            raise AttemptFailed("blank", "the reply was blank", usage=self.usage)
        known = self.finish_reason in ("stop", "tool_calls")
        finish = cast("FinishReason", self.finish_reason if known else "unknown")
        return ChatReply(
            text=text, reasoning="".join(self.reasoning), tool_requests=tools, finish_reason=finish,
            usage=self.usage, model=model,
        )  # fmt: skip


class _failures:  # noqa: N801 - used like a function
    """Turns whatever the client raises into `AttemptFailed`, with the usage that had arrived."""

    def __init__(self, collected: _Collected) -> None:
        self._collected = collected

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        failed = _classified(error)
        if failed is not None:
            failed.usage = self._collected.usage if self._collected.text else failed.usage
            raise failed from None


def _classified(error: BaseException | None) -> AttemptFailed | None:
    import httpx2
    import openai

    if error is None or isinstance(error, AttemptFailed):
        return None
    if isinstance(error, (TimeoutError, openai.APITimeoutError, httpx2.TimeoutException)):
        return AttemptFailed("timeout", "the endpoint did not reply in time", transient=True)
    if isinstance(error, openai.APIStatusError):
        return _status(error)
    if isinstance(error, openai.APIConnectionError | httpx2.TransportError):
        return AttemptFailed("connect", f"cannot reach the endpoint: {_root(error)}", transient=True)
    if isinstance(error, openai.APIError):
        return AttemptFailed("server", f"the endpoint reported: {error.message}", transient=True)
    return None


def _status(error: Any) -> AttemptFailed:  # noqa: ANN401 - the client's own type
    status, message = int(error.status_code), str(error.message)
    body = f"{message} {error.body}"
    if status in (401, 403):
        return AttemptFailed(str(status), f"not authorised ({status}): check the API key. {message}")
    if status == 404:
        return AttemptFailed("404", f"not found: {message}")
    if status in (400, 413, 422):
        cause = "context" if _CONTEXT_WORDS.search(body) else "refused request"
        return AttemptFailed(cause, f"the request was refused ({status}): {message}")
    asked_not_to = error.response.headers.get("x-should-retry") == "false"
    transient = (status in (408, 409, 429) or status >= 500) and not asked_not_to
    return AttemptFailed(
        str(status), f"status {status}: {message}", transient=transient, retry_after=_retry_after(error)
    )


def _retry_after(error: Any) -> float | None:  # noqa: ANN401 - the client's own type
    headers = error.response.headers
    try:
        if "retry-after-ms" in headers:
            return float(headers["retry-after-ms"]) / 1000
        return float(headers["retry-after"]) if "retry-after" in headers else None
    except ValueError:
        return None


def _root(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__


def _as_dict(message: Message) -> dict[str, Any]:
    data: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_requests:
        data["tool_calls"] = [
            {"id": tool.id, "type": "function", "function": {"name": tool.name, "arguments": tool.arguments}}
            for tool in message.tool_requests
        ]
    if message.tool_request_id is not None:
        data["tool_call_id"] = message.tool_request_id
    return data


@asynccontextmanager
async def open_client(base_url: str, key: str) -> AsyncIterator[AsyncOpenAI]:
    """A client of the `openai` package on its aiohttp transport, without retries of its own."""
    from openai import AsyncOpenAI, DefaultAioHttpClient

    async with AsyncOpenAI(base_url=base_url, api_key=key, max_retries=0, http_client=DefaultAioHttpClient()) as client:
        yield client
