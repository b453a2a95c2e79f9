"""One call from start to end: an exchange is put to an agent, and comes back as a value of the shape asked for.

An agent without a model answers through its tool alone. One with a model speaks; its text is handed to its tool if
it has one, and read into the shape otherwise: after free reasoning in a second request (`reason_first`), or at
once under the server's JSON schema. A reply that does not fit, or a program that fails, is sent back once, with
what is wrong. Where the endpoint fails the agent, the same call goes on with its stand-ins, from the beginning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import anyio
from pydantic import JsonValue

from subagents import retry
from subagents.endpoint import Endpoint
from subagents.errors import AgentUnavailable, CallFailed, CallTimeout, EmptyReply, SchemaMismatch
from subagents.exchange import Exchange, opening
from subagents.messages import Attempt, ChatReply, ChatRequest, Message, Switch, TokenUsage
from subagents.reading import Mismatch, fit, last_code_block, read
from subagents.retry import Retries
from subagents.schemas import describe, describe_json, json_schema
from subagents.shapes import Many, Shape, ShapeError, is_text
from subagents.specs import NO_MODEL, SubAgent
from subagents.stand_ins import STANDS_IN_FOR, StandIn, switched
from subagents.tools import Tool, ToolFailed, ToolResult

JSON_ONLY = "Reply with JSON only: {shape}"
PRINT_JSON = "The program must print one JSON value and nothing else: {shape}"
EXTRACT = "Now write what you found above as JSON only, and add nothing to it: {shape}"
MEND = "That reply cannot be used: {problem}"
MEND_PROGRAM = "The program cannot be used: {problem}\nWrite the whole corrected program in one ```python block."

_MOST_SHOWN = 200


class CallObserver(Protocol):
    """Is told what happens inside a call, as it happens. What it raises ends the call."""

    def asking(self, request: ChatRequest, endpoint: Endpoint) -> ChatRequest:
        """A request is about to go out to an endpoint; what is given back goes, perhaps with a shorter reply."""
        ...

    async def attempted(self, attempt: Attempt) -> None:
        """One request to the endpoint ended, well or not."""
        ...

    async def switched(self, switch: Switch) -> None:
        """The call goes on with a fall-back; attempts from here on are its."""
        ...

    async def repaired(self, how: Literal["json", "asked"], problem: str, before: str) -> None:
        """A reply was mended: its JSON by us, or the whole by asking once more."""
        ...

    async def tool_called(self, tool: str, arguments: JsonValue, result: str, ok: bool, seconds: float) -> None:
        """A tool was used; `result` is its text, or its error."""
        ...


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
    stand_ins: Sequence[StandIn] = (),
) -> AgentReply:
    """Have the agent answer, within its time; where its endpoint fails it, its stand-ins, each within its own.

    seed: for an agent that has none of its own. Raises a `CallFailed`; what it cost reaches the observer all the same.
    """
    try:
        shape = exchange.parsed_shape()
    except ShapeError as error:
        raise SchemaMismatch(str(error), cause="shape") from None
    usage = TokenUsage()
    for following in [*stand_ins, None]:
        call = _Call(agent, exchange, shape, endpoint, tools, observer, seed)
        try:
            value, text = await call.within_its_time()
            return AgentReply(value, text, usage + call.usage)
        except CallFailed as error:
            if following is None or not isinstance(error, STANDS_IN_FOR):
                raise
            usage += call.usage
            switch = switched(agent, endpoint, following, error)
            agent, endpoint = following.agent or agent, following.endpoint
            await observer.switched(switch)
    raise AssertionError("the last one replies or fails")


class _Call:
    """The conversation of one call."""

    def __init__(
        self,
        agent: SubAgent,
        exchange: Exchange,
        shape: Shape,
        endpoint: Endpoint | None,
        tools: Mapping[str, Tool],
        observer: CallObserver,
        seed: int | None,
    ) -> None:
        self._agent = agent
        self._exchange = exchange
        self._shape = shape
        self._endpoint = endpoint
        self._tools = tools
        self._observer = observer
        self._seed = seed
        self._ends = anyio.current_time() + agent.timeout
        self._retries = Retries(agent.retries)
        self._messages: list[Message] = []
        self.usage = TokenUsage()

    async def within_its_time(self) -> tuple[JsonValue, str]:
        """The value and the agent's text."""
        name, seconds, most = self._agent.name, self._agent.timeout, self._agent.max_reply_chars
        try:
            with anyio.fail_after(seconds):
                value, text = await self._run()
        except TimeoutError:
            raise CallTimeout(f"{name!r} gave no reply within {seconds:g} seconds", cause="timeout") from None
        if len(text) > most:
            raise EmptyReply(f"{name!r} replied with more than {most} characters", cause="length")
        return value, text

    async def _run(self) -> tuple[JsonValue, str]:
        if self._agent.reply_through is not None:
            return await self._through(self._tool(self._agent.reply_through))
        if is_text(self._shape):
            self._open()
            text = (await self._speak()).text.strip()
            return text, text
        return await self._shaped()

    # -- a model alone ----------------------------------------------------------------------------------------

    async def _shaped(self) -> tuple[JsonValue, str]:
        wanted = describe_json(self._shape)
        reasoning = ""
        if self._agent.reason_first:
            self._open()
            reasoning = (await self._speak()).text.strip()
            self._say(EXTRACT.format(shape=wanted))
        else:
            self._open(JSON_ONLY.format(shape=wanted))
        text = (await self._speak(shaped=True)).text
        try:
            value = await self._read(text)
        except Mismatch as problem:
            value, text = await self._mended(text, problem)
        return value, f"{reasoning}\n\n{text}".strip()

    async def _mended(self, text: str, problem: Mismatch) -> tuple[JsonValue, str]:
        await self._observer.repaired("asked", str(problem), text)
        self._say(MEND.format(problem=problem))
        text = (await self._speak(shaped=True)).text
        try:
            return await self._read(text), text
        except Mismatch as still:
            message = f"{self._agent.name!r} did not reply with {describe(self._shape)}: {still}"
            raise SchemaMismatch(message, cause="shape") from None

    async def _read(self, text: str) -> JsonValue:
        found = read(text, self._shape)
        if found.repaired is not None:
            await self._observer.repaired("json", found.repaired, text)
        return found.value

    def _open(self, wanted: str = "") -> None:
        self._messages = [*opening(self._agent, self._exchange, wanted)]

    def _say(self, text: str) -> None:
        self._messages.append(Message(role="user", content=text))

    async def _speak(self, *, shaped: bool = False) -> ChatReply:
        """The agent's next message; under the shape's schema when it is to be read."""
        if self._endpoint is None:
            raise AgentUnavailable(
                f"{self._agent.name!r} needs a model, and no endpoint is open for it", cause="endpoint"
            )
        sampling = self._agent.sampling
        if self._seed is not None and sampling.seed is None:
            sampling = sampling.model_copy(update={"seed": self._seed})
        if shaped and self._agent.reason_first:  # the thinking is done: what was found is only written down
            sampling = sampling.model_copy(update={"temperature": 0.0})
        schema = json_schema(self._shape) if shaped else None
        request = ChatRequest(messages=tuple(self._messages), sampling=sampling, schema_=schema)
        request = self._observer.asking(request, self._endpoint)
        left = self._ends - anyio.current_time()
        reply = await retry.chat(
            self._endpoint, request, timeout=left, retries=self._retries, on_attempt=self._attempted
        )
        self._messages.append(Message(role="assistant", content=reply.text))
        return reply

    async def _attempted(self, attempt: Attempt) -> None:
        self.usage += attempt.usage
        await self._observer.attempted(attempt.model_copy(update={"agent": self._agent.name}))

    # -- through a tool ---------------------------------------------------------------------------------------

    def _tool(self, name: str) -> Tool:
        if name not in self._tools:
            raise AgentUnavailable(
                f"{self._agent.name!r} replies through the tool {name!r}, which is not there", cause="tool"
            )
        return self._tools[name]

    async def _through(self, tool: Tool) -> tuple[JsonValue, str]:
        if self._agent.model == NO_MODEL:
            result = await self._used(tool, self._exchange.instruction)
            return await self._value_of(result), result.text
        self._open("" if is_text(self._shape) else PRINT_JSON.format(shape=describe(self._shape)))
        written = (await self._speak()).text
        try:
            return await self._made_of(tool, written)
        except CallFailed as problem:
            await self._observer.repaired("asked", str(problem), written)
            self._say(MEND_PROGRAM.format(problem=problem))
        return await self._made_of(tool, (await self._speak()).text)

    async def _made_of(self, tool: Tool, written: str) -> tuple[JsonValue, str]:
        result = await self._used(tool, last_code_block(written))
        return await self._value_of(result), f"{written.strip()}\n\n{result.text}"

    async def _used(self, tool: Tool, text: str) -> ToolResult:
        started = anyio.current_time()
        try:
            result = await tool(text)
        except ToolFailed as error:
            await self._observer.tool_called(tool.name, text, str(error), False, anyio.current_time() - started)
            raise CallFailed(str(error), cause="tool") from None
        await self._observer.tool_called(tool.name, text, result.text, True, anyio.current_time() - started)
        return result

    async def _value_of(self, result: ToolResult) -> JsonValue:
        """The result in the shape that was asked for: of its data where it has some, else read from its text."""
        if is_text(self._shape):
            return result.text
        try:
            return await self._read(result.text) if result.value is None else self._fitted(result)
        except Mismatch as problem:
            wanted = describe(self._shape)
            gave = f"{self._agent.name!r} gives text, a list of texts, or its data, not {wanted}: {problem}"
            if not result.parts:
                gave = f"the result {_shortened(result.text)!r} is not {wanted}"
            raise SchemaMismatch(gave, cause="shape") from None

    def _fitted(self, result: ToolResult) -> JsonValue:
        try:
            return fit(result.value, self._shape)
        except Mismatch:
            if not (result.parts and isinstance(self._shape, Many)):
                raise
            return fit(list(result.parts), self._shape)


def _shortened(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]} …"
