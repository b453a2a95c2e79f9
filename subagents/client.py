"""One endpoint: a model behind an OpenAI-compatible server, asked one request at a time, always streaming.

A stream that is cancelled stops the work on the server; a plain request would not. The client's own retries are
switched off, because a hidden retry would be missing from the journal. What a server turns out not to understand (a
schema, a parameter) is remembered on the endpoint, and the refused request counts as a transient failure: the retry
loop asks again, without it.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
from pydantic import JsonValue

from subagents.failures import AttemptFailed, client_errors, told_apart
from subagents.messages import ChatReply, ChatRequest, Message
from subagents.streaming import Collected

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import Model

CONNECT_SECONDS = 10.0
LISTING_SECONDS = 10.0
_SHOWN = 20
_SCHEMA_WORDS = re.compile(r"response_format|json_schema|structured.output", re.IGNORECASE)
_OPTIONAL = ("temperature", "top_p", "seed", "stream_options")
"""What a request can do without where a server refuses it: OpenAI's reasoning models take no temperature."""


@dataclass(slots=True)
class Endpoint:
    """A model at an address. What it turns out not to support is remembered here."""

    name: str
    """The endpoint string, without secrets."""
    model: str
    client: AsyncOpenAI
    context_tokens: int | None = None
    """Tokens of prompt and reply together; None where the server does not say."""
    supports_tools: bool | None = None
    supports_schema: bool = True
    _refused: set[str] = field(default_factory=set)

    async def chat(
        self,
        request: ChatRequest,
        *,
        timeout: float,  # seconds of this one request; raises AttemptFailed, not TimeoutError
        on_text: Callable[[str], None] | None = None,
    ) -> ChatReply:
        """One attempt. Raises `AttemptFailed`."""
        try:
            return await self._ask(request, timeout, on_text)
        except AttemptFailed as error:
            if error.cause == "404":
                raise await self._with_offers(error) from None
            if error.cause == "request" and self._learnt_from(error, request):
                raise AttemptFailed(error.cause, str(error), transient=True, retry_after=0.0) from None
            raise

    async def offered(self) -> list[Model]:
        """The models that the server lists. Raises what the client raises, or TimeoutError."""
        with anyio.fail_after(LISTING_SECONDS):
            return list((await self.client.models.list()).data)

    async def _ask(self, request: ChatRequest, seconds: float, on_text: Callable[[str], None] | None) -> ChatReply:
        import httpx2

        collected = Collected()
        body = self._body(request)
        limits = httpx2.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        with told_apart(collected):
            with anyio.fail_after(seconds):
                stream = await self.client.chat.completions.create(**body, timeout=limits)
                async with stream:
                    async for chunk in stream:
                        collected.add(chunk, on_text)
            return collected.reply(self.model)

    def _learnt_from(self, error: AttemptFailed, request: ChatRequest) -> bool:
        """Whether a refusal taught how to ask this server."""
        words = f"{error.param} {error}"
        if request.schema_ is not None and self.supports_schema and _SCHEMA_WORDS.search(words):
            self.supports_schema = False
            return True
        if "max_completion_tokens" in words and "max_tokens" not in self._refused:
            self._refused.add("max_tokens")
            return True
        name = next((name for name in _OPTIONAL if name == error.param or f"'{name}'" in words), None)
        if name is None or name in self._refused:
            return False
        self._refused.add(name)
        return True

    async def _with_offers(self, error: AttemptFailed) -> AttemptFailed:
        try:
            names = [model.id for model in await self.offered()]
        except client_errors():
            names = []
        there = f"; it has {some_of(names)}" if names else f"; is {str(self.client.base_url)!r} the right address?"
        return AttemptFailed(error.cause, f"{error}{there}")

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        sampling = request.sampling
        limit = "max_completion_tokens" if "max_tokens" in self._refused else "max_tokens"
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [_as_dict(message) for message in request.messages],
            "temperature": sampling.temperature,
            limit: sampling.max_tokens,
            "top_p": sampling.top_p,
            "seed": sampling.seed,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.tools:
            body["tools"] = [{"type": "function", "function": tool.model_dump()} for tool in request.tools]
        if request.schema_ is not None and self.supports_schema:
            schema = {"name": "reply", "schema": request.schema_, "strict": is_closed(request.schema_)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return {key: value for key, value in body.items() if value is not None and key not in self._refused}


def is_closed(schema: JsonValue) -> bool:
    """Whether a schema is of the kind that OpenAI's strict mode takes: every value typed, every object closed."""
    if not isinstance(schema, dict):
        return False
    if "anyOf" in schema:
        options = schema["anyOf"]
        return isinstance(options, list) and all(map(is_closed, options))
    match schema.get("type"):
        case "object":
            properties = schema.get("properties", {})
            closed = schema.get("additionalProperties") is False
            return closed and isinstance(properties, dict) and all(map(is_closed, properties.values()))
        case "array":
            return is_closed(schema.get("items"))
    return "type" in schema


@asynccontextmanager
async def open_client(base_url: str, key: str, *, keep_alive: bool = True) -> AsyncIterator[AsyncOpenAI]:
    """A client of the `openai` package on its aiohttp transport, without retries of its own.

    keep_alive: False for a server that closes its connections after each stream without saying so, as llama.cpp's does.
    A server on this machine is asked directly, whatever proxy the environment names.
    """
    from openai import AsyncOpenAI, DefaultAioHttpClient

    transport = DefaultAioHttpClient(trust_env=not _is_loopback(base_url))
    headers = None if keep_alive else {"Connection": "close"}
    async with AsyncOpenAI(
        base_url=base_url, api_key=key, max_retries=0, http_client=transport, default_headers=headers
    ) as client:
        yield client


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def some_of(names: list[str]) -> str:
    """The names in a line, of a long list only the first."""
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


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
