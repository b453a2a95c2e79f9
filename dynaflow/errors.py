"""What can be wrong before or around a run. Faults of a program and of a call have trees of their own.

DynaFlowError
├── JournalError      the journal cannot be opened, or holds no such run
├── ReplayDivergence  a program and the journal of its run disagree
├── SettingError      an option or setting that cannot be used
└── BudgetExceeded    a call that the run's budget does not allow
"""

from __future__ import annotations


class DynaFlowError(Exception):
    """Root of the tree."""


class JournalError(DynaFlowError):
    """The journal cannot be opened, or holds no such run."""


class ReplayDivergence(DynaFlowError):
    """A program that runs again does not ask what the journal says that it asked."""


class SettingError(DynaFlowError):
    """An option or setting that cannot be used; the message names it and the way out."""


class BudgetExceeded(DynaFlowError):
    """A call that the run's budget does not allow: which limit, its value, what was used."""

    def __init__(self, limit: str, value: float, used: float, asked: float = 0) -> None:
        more = f", {asked:g} more were asked for" if asked else ""
        super().__init__(f"the budget allows {value:g} {limit}; {used:g} are used{more}")
        self.limit, self.value, self.used = limit, value, used
