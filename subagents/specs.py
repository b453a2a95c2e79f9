"""What a sub-agent is: an immutable spec. It holds no conversation; every call starts in a fresh context."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from subagents.messages import Frozen, Sampling

NO_MODEL = "none"
"""The `model` of an agent that needs none: its tool alone makes the reply."""

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


class SubAgent(Frozen):
    """One sub-agent of a pool."""

    name: str
    description: Line
    """One line, shown to the main agent."""
    instructions: str = ""
    """The system prompt."""
    model: str | None = None
    """Endpoint string; None is the run's model for sub-agents, `none` an agent that needs no model."""
    sampling: Sampling = Sampling()
    timeout: float = Field(default=120.0, gt=0, allow_inf_nan=False)
    """Seconds for one call as a whole, retries and repair included."""
    reply_through: str | None = None
    """A tool that makes the reply of the model's text (its last code block), or, without a model, of the instruction."""
    reason_first: bool = False
    """For a shape other than text: reason freely first, and bring the result into the shape in a second request."""
    max_reply_chars: int = Field(default=60_000, ge=1)
    """A longer reply is a failure."""
    budget: Allowance = Allowance()
    """What the calls of one workflow to this agent may use together."""

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
        return self
