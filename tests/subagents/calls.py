"""Calls of one sub-agent against a loopback server, and an observer that keeps what it is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from dynaflow.testing import LoopbackServer
from subagents import (
    AgentReply,
    Attempt,
    ChatRequest,
    Endpoint,
    Endpoints,
    Exchange,
    SubAgent,
    Switch,
    TokenUsage,
    Tool,
    answer,
)


@dataclass
class Seen:
    """A `CallObserver`."""

    attempts: list[Attempt] = field(default_factory=list)
    repairs: list[tuple[str, str, str]] = field(default_factory=list)
    switches: list[Switch] = field(default_factory=list)
    tools: list[tuple[str, JsonValue, str, bool]] = field(default_factory=list)

    def asking(self, request: ChatRequest, endpoint: Endpoint) -> ChatRequest:
        return request

    async def attempted(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)

    async def switched(self, switch: Switch) -> None:
        self.switches.append(switch)

    async def repaired(self, how: str, problem: str, before: str) -> None:
        self.repairs.append((how, problem, before))

    async def tool_called(self, tool: str, arguments: JsonValue, result: str, ok: bool, seconds: float) -> None:
        self.tools.append((tool, arguments, result, ok))

    @property
    def causes(self) -> list[str | None]:
        return [attempt.cause for attempt in self.attempts]

    @property
    def usage(self) -> TokenUsage:
        return sum((attempt.usage for attempt in self.attempts), TokenUsage())


async def called(
    server: LoopbackServer,
    agent: SubAgent,
    exchange: Exchange,
    seen: Seen | None = None,
    *,
    tools: Mapping[str, Tool] | None = None,
    seed: int | None = None,
) -> AgentReply:
    async with Endpoints() as endpoints:
        endpoint = await endpoints.open(server.endpoint("agent"))
        return await answer(agent, exchange, endpoint=endpoint, tools=tools or {}, observer=seen or Seen(), seed=seed)


def record(**kinds: JsonValue) -> JsonValue:
    """The shape of a record with these fields: the name of a simple kind, a list of choices, or a whole shape."""
    return {
        "kind": "record",
        "name": None,
        "fields": {n: {"shape": shape(k), "required": True} for n, k in kinds.items()},
    }


def shape(kind: JsonValue) -> JsonValue:
    if isinstance(kind, str):
        return {"kind": kind}
    return {"kind": "literal", "values": kind} if isinstance(kind, list) else kind
