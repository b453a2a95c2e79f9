"""Who answers the calls of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from subagents import Endpoint, Pool, StandIn, SubAgent, Tool


@dataclass(frozen=True, slots=True)
class Staff:
    """The pool, an open endpoint for each agent that has a model, the tools, and who stands in."""

    pool: Pool
    endpoints: Mapping[str, Endpoint]
    tools: Mapping[str, Tool]
    stand_ins: Mapping[str, Sequence[StandIn]] = field(default_factory=dict)
    """Who answers when an agent's endpoint does not."""

    def identity(self, agent: SubAgent) -> str:
        """What decides an agent's reply, beside the exchange; its description, timeout and budget do not."""
        tool = agent.reply_through and self.tools[agent.reply_through]
        return _identity(agent, tool.identity if tool else "")


@cache
def _identity(agent: SubAgent, tool: str) -> str:
    decisive = agent.model_dump(
        mode="json", include={"instructions", "model", "sampling", "reply_through", "reason_first"}
    )
    return json.dumps([decisive, tool], sort_keys=True)
