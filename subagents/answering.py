"""One call from start to end: an exchange is put to an agent, and comes back as a value of the shape that was asked for.

An agent without a model answers through its tool alone. One with a model speaks; its text is handed to its tool if
it has one, and read into the shape otherwise: after free reasoning in a second request (`reason_first`), or at
once under the server's JSON schema. A reply that does not fit is sent back once, with what is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import anyio
from pydantic import JsonValue

from subagents import retry
from subagents.client import Endpoint
from subagents.errors import AgentUnavailable, CallFailed, CallTimeout, EmptyReply, SchemaMismatch
from subagents.exchange import Exchange, opening
from subagents.messages import Attempt, ChatReply, ChatRequest, Message, TokenUsage
from subagents.reading import Mismatch, last_code_block, read
from subagents.shapes import Shape, describe, is_text, json_schema
from subagents.specs import SubAgent
from subagents.tools import Tool, ToolFailed, ToolResult

EXTRACT = "Now give the final result of the above as JSON only, nothing else: {shape}"
MEND = "That reply cannot be used: {problem}"
MEND_PROGRAM = "The program failed: {problem}\nWrite the whole corrected program."
_EXTRACT_TOKENS = 512


class CallObserver(Protocol):
    """Is told what happens inside a call."""

    async def attempted(self, attempt: Attempt) -> None: ...

    async def repaired(self, how: Literal["json", "asked"], problem: str, before: str) -> None: ...

    async def tool_called(self, tool: str, arguments: JsonValue, result: str, ok: bool, seconds: float) -> None: ...


@dataclass(frozen=True, slots=True)
class AgentReply:
    """What a call brought: the value, the agent's own text, and the tokens of all its attempts."""

    value: JsonValue
    text: str
    usage: TokenUsage


async def answer(
    agent: SubAgent,
    exchange: Exchange,
    *,
    endpoint: Endpoint | None,
    tools: Mapping[str, Tool],
    observer: CallObserver,
    seed: int | None = None,
) -> AgentReply:
    """Have the agent answer, within its time. Raises a `CallFailed`; what it cost reaches the observer all the same."""
    call = _Call(agent, exchange, endpoint, tools, observer, seed)
    try:
        with anyio.fail_after(agent.timeout):
            value, text = await call.run()
    except TimeoutError:
        raise CallTimeout(f"{agent.name!r} gave no reply within {agent.timeout:g} seconds", cause="timeout") from None
    if len(text) > agent.max_reply_chars:
        raise EmptyReply(f"{agent.name!r} replied with more than {agent.max_reply_chars} characters", cause="length")
    return AgentReply(value, text, call.usage)


class _Call:
    def __init__(
        self,
        agent: SubAgent,
        exchange: Exchange,
        endpoint: Endpoint | None,
        tools: Mapping[str, Tool],
        observer: CallObserver,
        seed: int | None,
    ) -> None:
        self._agent = agent
        self._exchange = exchange
        self._shape: Shape = exchange.parsed_shape()
        self._endpoint = endpoint
        self._tools = tools
        self._observer = observer
        self._seed = seed
        self._messages: list[Message] = []
        self.usage = TokenUsage()

    async def run(self) -> tuple[JsonValue, str]:
        """The value and the agent's text."""
        if self._endpoint is None:
            return await self._through_tool_alone()
        if self._agent.reply_through is not None:
            return await self._through_tool()
        if is_text(self._shape):
            self._messages = [*opening(self._agent, self._exchange, show_shape=True)]
            text = (await self._speak(None)).text.strip()
            return text, text
        return await self._shaped()

    # -- a model alone ----------------------------------------------------------------------------------------

    async def _shaped(self) -> tuple[JsonValue, str]:
        reasoning = ""
        self._messages = [*opening(self._agent, self._exchange, show_shape=not self._agent.reason_first)]
        if self._agent.reason_first:
            reasoning = (await self._speak(None)).text.strip()
            self._say(EXTRACT.format(shape=describe(self._shape)))
        return await self._read_or_mend(reasoning)

    async def _read_or_mend(self, reasoning: str) -> tuple[JsonValue, str]:
        text = (await self._speak(self._shape)).text
        try:
            value = await self._read(text)
        except Mismatch as problem:
            await self._observer.repaired("asked", str(problem), text)
            self._say(MEND.format(problem=problem))
            text = (await self._speak(self._shape)).text
            try:
                value = await self._read(text)
            except Mismatch as still:
                message = f"{self._agent.name!r} did not reply with {describe(self._shape)}: {still}"
                raise SchemaMismatch(message, cause="shape") from None
        return value, f"{reasoning}\n\n{text}".strip()

    async def _read(self, text: str) -> JsonValue:
        found = read(text, self._shape)
        if found.repaired is not None:
            await self._observer.repaired("json", found.repaired, text)
        return found.value

    async def _speak(self, shape: Shape | None) -> ChatReply:
        assert self._endpoint is not None, "only an agent with a model speaks"
        sampling = self._agent.sampling
        if self._seed is not None and sampling.seed is None:
            sampling = sampling.model_copy(update={"seed": self._seed})
        if shape is not None and self._agent.reason_first:
            tokens = min(_EXTRACT_TOKENS, sampling.max_tokens)
            sampling = sampling.model_copy(update={"temperature": 0.0, "max_tokens": tokens})
        schema = json_schema(shape) if shape is not None else None
        request = ChatRequest(messages=tuple(self._messages), sampling=sampling, schema_=schema)
        reply = await retry.chat(self._endpoint, request, timeout=self._agent.timeout, on_attempt=self._attempted)
        self._messages.append(Message(role="assistant", content=reply.text))
        return reply

    def _say(self, text: str) -> None:
        self._messages.append(Message(role="user", content=text))

    async def _attempted(self, attempt: Attempt) -> None:
        self.usage += attempt.usage
        await self._observer.attempted(attempt)

    # -- through a tool ---------------------------------------------------------------------------------------

    async def _through_tool_alone(self) -> tuple[JsonValue, str]:
        result = await self._use(self._tool(), self._exchange.instruction)
        return self._value_of(result), result.text

    async def _through_tool(self) -> tuple[JsonValue, str]:
        self._messages = [*opening(self._agent, self._exchange, show_shape=False)]
        tool = self._tool()
        written = (await self._speak(None)).text
        try:
            result = await self._use(tool, last_code_block(written))
        except CallFailed as problem:
            await self._observer.repaired("asked", str(problem), written)
            self._say(MEND_PROGRAM.format(problem=problem))
            written = (await self._speak(None)).text
            result = await self._use(tool, last_code_block(written))
        return self._value_of(result), f"{written.strip()}\n\n{result.text}"

    def _tool(self) -> Tool:
        name = self._agent.reply_through
        if name is None or name not in self._tools:
            raise AgentUnavailable(f"{self._agent.name!r} has no model and no tool {name!r}", cause="tool")
        return self._tools[name]

    async def _use(self, tool: Tool, text: str) -> ToolResult:
        started = anyio.current_time()
        try:
            result = await tool(text)
        except ToolFailed as error:
            await self._observer.tool_called(tool.name, text, str(error), False, anyio.current_time() - started)
            raise CallFailed(str(error), cause="tool") from None
        await self._observer.tool_called(tool.name, text, result.text, True, anyio.current_time() - started)
        return result

    def _value_of(self, result: ToolResult) -> JsonValue:
        """The result in the shape that was asked for, from the tool's data where it has some, else from its text."""
        if is_text(self._shape):
            return result.text
        texts = [json.dumps(result.value, ensure_ascii=False)] if result.value is not None else []
        if isinstance(result.value, list):
            texts.append(json.dumps(result.text.split("\n\n"), ensure_ascii=False))
        for text in [*texts, result.text]:
            try:
                return read(text, self._shape).value
            except Mismatch:
                continue
        offers = "text, or a list of texts" if isinstance(result.value, list) else "text"
        message = f"{self._agent.name!r} gives {offers}, not {describe(self._shape)}: {result.text[:200]!r}"
        raise SchemaMismatch(message, cause="shape")
