"""Stand-ins: who answers a call when the endpoint of its agent does not, as the agent's `fallback` says.

They are found, and their endpoints opened, before a run begins. A stand-in that is an agent brings its own fall-back
along, so that a call has a chain of them; a pool refuses one that leads back.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from subagents.endpoint import Endpoint
from subagents.errors import AgentUnavailable, CallFailed, CallTimeout, ContextOverflow
from subagents.messages import Switch
from subagents.pool import Pool
from subagents.specs import NO_MODEL, SubAgent

STANDS_IN_FOR = (AgentUnavailable, CallTimeout, ContextOverflow)
"""Failures of an endpoint; a reply that cannot be used is the agent's own."""

OpenModel = Callable[[str | None], Awaitable[Endpoint]]
"""Opens what an agent's `model` names; None is the run's own model."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """Who is asked next."""

    agent: SubAgent | None
    """None is the agent that was asked before, on another endpoint."""
    endpoint: Endpoint | None


async def stand_ins(agent: SubAgent, pool: Pool, open_model: OpenModel) -> tuple[StandIn, ...]:
    """The stand-ins of an agent, in order. Raises `EndpointUnknown`."""
    fallback = agent.fallback
    if fallback is None:
        return ()
    if fallback.agent is None:
        return (StandIn(None, await open_model(fallback.model)),)
    other = pool[fallback.agent]
    endpoint = None if other.model == NO_MODEL else await open_model(other.model)
    return (StandIn(other, endpoint), *await stand_ins(other, pool, open_model))


def switched(agent: SubAgent, endpoint: Endpoint | None, to: StandIn, error: CallFailed) -> Switch:
    """The record of a switch."""
    return Switch(
        from_agent=agent.name,
        from_endpoint=endpoint.name if endpoint else None,
        to_agent=(to.agent or agent).name,
        to_endpoint=to.endpoint.name if to.endpoint else None,
        cause=error.kind,
        message=str(error),
    )
