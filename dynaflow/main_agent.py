"""The main agent as the loop sees it: it is given messages and says something, within its context window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import anyio

from dynaflow.spending import Purse, tariff_of
from dynaflow.token_estimate import estimate_tokens
from subagents import Attempt, ChatReply, ChatRequest, Endpoint, Message, Sampling, ToolSpec, chat
from subagents.messages import FinishReason

RUN_WORKFLOW = ToolSpec(
    name="run_workflow",
    description="Run a Python program that asks sub-agents. Its value, calls, failures and printed text come back.",
    parameters={
        "type": "object",
        "properties": {
            "program": {"type": "string", "description": "The whole program; its last statement is return."}
        },
        "required": ["program"],
        "additionalProperties": False,
    },
)
"""The tool by which a program arrives where the endpoint supports tools."""

REPLY_TOKENS = 1024
"""Tokens of one message of the main agent at most, less where its window is small."""
REPLY_SECONDS = 600.0
AGAIN_TEMPERATURE = 0.6
"""Temperature after a message that could not be used; at 0 a small model writes the same program for ever."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the main agent, and every attempt that it took."""

    reply: ChatReply
    attempts: tuple[Attempt, ...]
    seconds: float


class MainAgent:
    """Holds the conversation of one run with the main agent's model."""

    def __init__(self, endpoint: Endpoint, *, may_run: bool, seed: int) -> None:
        self.endpoint = endpoint
        self.uses_tools = may_run and bool(endpoint.supports_tools)
        self._messages: list[Message] = []
        self._seed = seed
        self.attempts: list[Attempt] = []

    def hear(self, *messages: Message) -> None:
        """Add messages to the conversation."""
        self._messages.extend(messages)

    async def speak(self, turn: int, on_text: Callable[[str], None], purse: Purse, *, again: bool) -> Said:
        """The main agent's next message. Raises `CallFailed` when its endpoint does not give one, or `BudgetExceeded`.

        again: whether its last message could not be used, so that the likeliest one would be that same message.
        `attempts` holds the attempts of the message, also when it failed.
        """
        self.attempts = []

        async def record(attempt: Attempt) -> None:
            self.attempts.append(attempt)
            purse.attempted(attempt)

        started = anyio.current_time()
        request = purse.asking(self._request(turn, again), tariff_of(self.endpoint))
        reply = await chat(self.endpoint, request, timeout=REPLY_SECONDS, on_text=on_text, on_attempt=record)
        self.hear(Message(role="assistant", content=reply.text, tool_requests=reply.tool_requests))
        return Said(reply, tuple(self.attempts), anyio.current_time() - started)

    def said_nothing(self, cause: str) -> Said:
        """The record of a message that was blank, refused or cut off; the conversation keeps its place."""
        self.hear(Message(role="assistant", content="(nothing that can be used)"))
        finish: FinishReason = "length" if cause == "length" else "content_filter" if cause == "refused" else "stop"
        return Said(
            ChatReply(text="", finish_reason=finish), tuple(self.attempts), sum(a.seconds for a in self.attempts)
        )

    def _request(self, turn: int, again: bool) -> ChatRequest:
        window = self.endpoint.context_tokens
        reply_tokens = REPLY_TOKENS if window is None else min(REPLY_TOKENS, window // 4)
        messages = self._messages if window is None else fitted(self._messages, window - reply_tokens)
        temperature = AGAIN_TEMPERATURE if again else 0.0
        sampling = Sampling(temperature=temperature, max_tokens=reply_tokens, seed=self._seed + turn)
        tools = (RUN_WORKFLOW,) if self.uses_tools else ()
        return ChatRequest(messages=tuple(messages), sampling=sampling, tools=tools)


def fitted(messages: list[Message], tokens: int) -> list[Message]:
    """The messages, without the oldest turns between the task and the newest exchange if they do not fit."""
    head = next((i for i, message in enumerate(messages) if message.role == "assistant"), len(messages))
    kept, tail = messages[:head], messages[head:]
    while len(tail) > 2 and sum(estimate_tokens(message.content) for message in [*kept, *tail]) > tokens:
        following = next((i for i, message in enumerate(tail[1:], 1) if message.role == "assistant"), len(tail))
        tail = tail[following:]
    return [*kept, *tail]
