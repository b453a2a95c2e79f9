"""What can be wrong before or around a run. Faults of a program and of a call have trees of their own.

DynaFlowError
├── JournalError      the journal cannot be opened, or holds no such run
├── SettingError      an option or setting that cannot be used
├── BudgetExceeded    a call that the run's budget does not allow
└── VersionConflict   an artifact has got another version than the writer expected
"""

from __future__ import annotations


class DynaFlowError(Exception):
    """Root of the tree."""


class JournalError(DynaFlowError):
    """The journal cannot be opened, or holds no such run."""


class SettingError(DynaFlowError):
    """An option or setting that cannot be used; the message names it and the way out."""


class BudgetExceeded(DynaFlowError):
    """A call that the run's budget does not allow: which limit, its value, what was used."""

    def __init__(self, limit: str, value: float, used: float, asked: float = 0) -> None:
        more = f", {asked:g} more were asked for" if asked else ""
        super().__init__(f"the budget allows {value:g} {limit}; {used:g} are used{more}")
        self.limit, self.value, self.used = limit, value, used


class VersionConflict(DynaFlowError):
    """An artifact has got another version than the writer expected; nothing was written."""

    def __init__(self, artifact: str, expected: int, newest: int) -> None:
        super().__init__(
            f"artifact {artifact!r} has version {newest}, not the expected {expected}: recall it, and share it again"
        )
        self.artifact, self.expected, self.newest = artifact, expected, newest
