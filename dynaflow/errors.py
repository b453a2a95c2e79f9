"""What can be wrong before or around a run. Faults of a program and of a call have trees of their own.

DynaFlowError
├── JournalError          the journal cannot be opened, or holds no such run
├── ReplayDivergence      a program and the journal of its run disagree
├── SettingError          an option or setting that cannot be used
│   └── PolicyError       a policy that names what there is not, or allows more than the pool grants
├── VersionConflict       an artifact has got another version than the writer expected
└── BudgetExceeded        what was asked does not fit the budget of a scope
    └── PriceUnknown      a budget of money, and a model without a price
"""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

Limit = Literal["calls", "tokens", "usd", "seconds"]
"""The limits of a budget that can be exceeded; one on calls in flight only makes them wait."""


class DynaFlowError(Exception):
    """Root of the tree."""


class JournalError(DynaFlowError):
    """The journal cannot be opened, or holds no such run."""


class ReplayDivergence(DynaFlowError):
    """A program that runs again does not ask what the journal says that it asked."""


class SettingError(DynaFlowError):
    """An option or setting that cannot be used; the message names it and the way out."""


class PolicyError(SettingError):
    """A policy that names what there is not, or that allows more than the pool grants."""


class BudgetExceeded(DynaFlowError):
    """What was asked does not fit the budget of a scope, and none of it was taken.

    scope: whose budget, in words. used: what is spent, and what calls of unknown cost are taken for. reserved: for calls
    in flight. `facts` is the message without its advice, which is meant for programs.
    """

    def __init__(
        self,
        scope: str,
        limit: Limit,
        value: float | Decimal,
        *,
        used: float | Decimal = 0,
        reserved: float | Decimal = 0,
        asked: float | Decimal = 0,
    ) -> None:
        self.scope, self.limit, self.value = scope, limit, value
        self.used, self.reserved, self.asked = used, reserved, asked
        self.facts = f"the budget of {scope} allows {_said(value)} {_WORDS[limit]}; {self._state()}"
        super().__init__(f"{self.facts}: {self._advice()}")

    def _state(self) -> str:
        if self.limit == "seconds":
            return f"{_said(self.used)} have passed"
        reserved = f", {_said(self.reserved)} are reserved for calls in flight" if self.reserved else ""
        return f"{_said(self.used)} are used{reserved}, and {_said(self.asked)} more were asked for"

    def _advice(self) -> str:
        left = float(self.value) - float(self.used) - float(self.reserved)
        if self.limit == "seconds" or left <= 0:
            return "ask for nothing more and return what there is"
        at_most = f"ask for at most {_said(int(left))} more" if self.limit == "calls" else "ask for less"
        return f"{at_most}, or return what there is"


class PriceUnknown(BudgetExceeded):
    """There is a budget of money, and a model whose price nobody knows."""

    def __init__(self, scope: str, value: Decimal, model: str) -> None:
        super().__init__(scope, "usd", value)
        self.facts = (
            f"the budget of {scope} allows {_said(value)} US dollars, and the price of {model!r} is not known: "
            "give its price in the pool file, or budget tokens instead of money"
        )
        self.args = (self.facts,)


_WORDS: dict[Limit, str] = {"calls": "calls", "tokens": "tokens", "usd": "US dollars", "seconds": "seconds"}


def _said(amount: float | Decimal) -> str:
    if isinstance(amount, Decimal):
        whole, _, rest = f"{amount:,f}".partition(".")
        return f"{whole}.{rest.rstrip('0')}".rstrip(".")
    return f"{amount:,}" if isinstance(amount, int) else f"{round(amount, 1):,g}"


class VersionConflict(DynaFlowError):
    """An artifact has got another version than the writer expected; nothing was written."""

    def __init__(self, artifact: str, expected: int, newest: int) -> None:
        super().__init__(
            f"artifact {artifact!r} has version {newest}, not the expected {expected}: recall it, and share it again"
        )
        self.artifact, self.expected, self.newest = artifact, expected, newest
