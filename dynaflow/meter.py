"""What a run has used of its budget, and whether more may be used."""

from __future__ import annotations

import time

from dynaflow.errors import BudgetExceeded
from dynaflow.events import Budget
from subagents.messages import TokenUsage


class Meter:
    """Counts calls, tokens and seconds of one run against its budget."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.calls = 0
        self.main = TokenUsage()
        self.agents = TokenUsage()
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self._started

    @property
    def tokens(self) -> int:
        """Tokens of main agent and sub-agents together, as far as the endpoints reported them."""
        return self.main.total + self.agents.total

    def reserve(self, calls: int) -> None:
        """Take a whole batch of calls out of the budget, or none of it: raises `BudgetExceeded`."""
        limit = self.budget.calls
        if limit is not None and self.calls + calls > limit:
            raise BudgetExceeded("calls", limit, self.calls, calls)
        self.check()
        self.calls += calls

    def check(self) -> None:
        """Raise `BudgetExceeded` if tokens or seconds are used up."""
        if self.budget.tokens is not None and self.tokens >= self.budget.tokens:
            raise BudgetExceeded("tokens", self.budget.tokens, self.tokens)
        if self.budget.seconds is not None and self.seconds >= self.budget.seconds:
            raise BudgetExceeded("seconds", self.budget.seconds, round(self.seconds, 1))

    def left(self, turn: int) -> Budget:
        """What is left after `turn` turns, never below the smallest amount that a budget can hold."""
        budget = self.budget
        return Budget(
            turns=max(budget.turns - turn, 1),
            calls=None if budget.calls is None else max(budget.calls - self.calls, 0),
            tokens=None if budget.tokens is None else max(budget.tokens - self.tokens, 1),
            seconds=None if budget.seconds is None else max(budget.seconds - self.seconds, 0.001),
        )
