"""What a sub-agent is: an immutable spec. It holds no conversation; every call starts in a fresh context."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from subagents.messages import Frozen, Sampling
from subagents.policy_specs import ProgramPolicySpec
from subagents.prices import Price

NO_MODEL = "none"
"""The `model` of an agent that needs none: its tool alone makes the reply."""

RETRIES = 3
"""How often a call asks again by default."""

Line = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^\n]+$")]


class Allowance(Frozen):
    """What may be used at most; None is no limit. Who keeps to it is decided above this package."""

    calls: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    """Prompt plus completion tokens."""
    usd: Decimal | None = Field(default=None, ge=0, allow_inf_nan=False)
    """US dollars."""
    seconds: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """From the first use on."""
    concurrency: int | None = Field(default=None, ge=1)
    """Calls in flight at the same time; further ones wait."""


class EndpointSpec(Frozen):
    """An endpoint and what is set for it; in a pool file it has a name, by which `model` may call it."""

    address: str
    """Endpoint string."""
    price: Price | None = None
    """What its tokens cost; None is the provider's list price where that is known, and nothing for `local`."""
    concurrency: int | None = Field(default=None, ge=1)
    """Requests at once at most, for each replica; how many really go out is found out."""


class Fallback(Frozen):
    """Who answers in an agent's place when its endpoint does not: another agent, or the same on another endpoint."""

    agent: str | None = None
    model: str | None = None
    """Endpoint string, or the name of an endpoint of the pool file."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.agent is None) == (self.model is None):
            raise ValueError("a fall-back is either `agent: NAME` or `model: ENDPOINT`")
        return self


class SubAgent(Frozen):
    """One sub-agent of a pool."""

    name: str
    description: Line
    """One line, shown to the main agent."""
    instructions: str = ""
    """The system prompt."""
    model: str | None = None
    """Endpoint string, or the name of an endpoint of the pool file; None is the run's model for sub-agents, `none` an
    agent that needs no model."""
    sampling: Sampling = Sampling()
    timeout: float = Field(default=120.0, gt=0, allow_inf_nan=False)
    """Seconds for one call as a whole, waits, retries and repair included; a fall-back has its own."""
    retries: int = Field(default=RETRIES, ge=0)
    """How often a call may ask again after failures that may pass, over all its requests."""
    fallback: Fallback | None = None
    """Who answers when the endpoint is unavailable or too slow, or its window too small."""
    reply_through: str | None = None
    """A tool that makes the reply of the model's text (its last code block), or, without a model, of the instruction."""
    reason_first: bool = False
    """For a shape other than text: reason freely first, and bring the result into the shape in a second request."""
    max_reply_chars: int = Field(default=60_000, ge=1)
    """A longer reply is a failure."""
    budget: Allowance = Allowance()
    """What the calls of one workflow to this agent may use together."""
    policy: ProgramPolicySpec | None = None
    """What the programs may do that the agent writes for its tool; None is what a program of an agent may do by default."""

    @field_validator("name")
    @classmethod
    def _identifier(cls, name: str) -> str:
        if not re.fullmatch(r"[a-z][a-z0-9_-]{0,63}", name):
            raise ValueError("a name is lower-case letters, digits, _ and -, and begins with a letter")
        return name

    @model_validator(mode="after")
    def _can_reply(self) -> Self:
        if self.model == NO_MODEL and self.reply_through is None:
            raise ValueError("an agent with `model: none` needs a tool: set reply_through")
        if self.policy is not None and self.reply_through is None:
            raise ValueError("a policy is for the programs that an agent writes for its tool: set reply_through")
        if self.model == NO_MODEL and self.fallback is not None and self.fallback.model is not None:
            raise ValueError("an agent with `model: none` asks no endpoint: name an agent as its fallback")
        return self
