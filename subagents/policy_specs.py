"""What a pool file says about the programs of a run: plain data, which is interpreted above this package.

Who the agents are is known here, so their names are checked here; what modules and limits there are is not.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Self

from pydantic import Field

from subagents.messages import Frozen


class ProgramPolicySpec(Frozen):
    """What the programs may do that an agent itself writes; what is left away keeps its default."""

    modules: tuple[str, ...] | None = None
    """Names of the modules that a program may import; None is the default."""
    limits: dict[str, Annotated[int | float, Field(gt=0, allow_inf_nan=False)]] = Field(default_factory=dict)
    """Name of a limit of the sandbox -> its value."""


class PolicySpec(ProgramPolicySpec):
    """What the main agent's programs may do."""

    agents: tuple[str, ...] | None = None
    """Names of the agents that a program may call; None is all of the pool."""

    def among(self, names: Collection[str]) -> Self:
        """The same for a pool that has these agents only."""
        agents = self.agents if self.agents is None else tuple(name for name in self.agents if name in names)
        return self.model_copy(update={"agents": agents})
