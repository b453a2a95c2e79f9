"""Everything that can go wrong with a program, in two families.

The first family is the program's fault: it is data, it travels in `Outcome.error` and is worded for the
model that wrote the program. The second family is the operator's concern and is raised.

    SandboxError
    ├── WorkflowError                  the program's fault; fed back to its author
    │   ├── WorkflowSyntaxError        it does not parse
    │   ├── PolicyViolation            it uses something the language leaves out
    │   ├── WorkflowRuntimeError       it raised an exception that it did not catch
    │   ├── LimitExceeded              it used more of something than it was given
    │   ├── DeadlockError              it waits for something that can never happen
    │   └── ResultError                its value cannot be handed back
    └── OperatorError                  not the author's business
        ├── SandboxUnavailable         no engine of the demanded isolation level can run here
        ├── SandboxViolation           the program ran into the wall: a system call that no program makes
        ├── SandboxCrash               the child or its zygote died for a reason that is not a limit
        └── ProtocolError              the child wrote something that is no frame
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from sandbox.protocol import Usage

LimitKind = Literal["source", "steps", "cpu", "memory", "wall", "calls", "frame", "result", "output", "depth"]


class SandboxError(Exception):
    """Root of the tree."""


@dataclass(eq=False)
class WorkflowError(SandboxError):
    """A fault of the program: what happened, where, and one hint that says what to do instead."""

    message: str
    line: int | None = None
    source_line: str | None = None
    hint: str | None = None

    @property
    def kind(self) -> str:
        return type(self).__name__

    def __str__(self) -> str:
        where = f" (line {self.line}: {self.source_line})" if self.line else ""
        hint = f" Hint: {self.hint}" if self.hint else ""
        return f"{self.message}{where}{hint}"


class WorkflowSyntaxError(WorkflowError):
    """The program does not parse."""


class PolicyViolation(WorkflowError):
    """The program uses something that the workflow language leaves out."""


class WorkflowRuntimeError(WorkflowError):
    """The program raised an exception that it did not catch."""


@dataclass(eq=False)
class LimitExceeded(WorkflowError):
    """The program went over one of its limits; it could not catch this."""

    limit: LimitKind = "steps"
    value: float = 0


class DeadlockError(WorkflowError):
    """Every branch of the program waits, and nothing is outstanding that could wake one."""


class ResultError(WorkflowError):
    """The value of the program is no plain data, or too large."""


class OperatorError(SandboxError):
    """Not the fault of the program's author. `usage` is what the program had used, where one was running."""

    usage: Usage | None = None


class SandboxUnavailable(OperatorError):
    """No engine of the demanded isolation level can run here; the message says what is missing."""


class SandboxViolation(OperatorError):
    """The program got past the language layer, and was killed for a system call that the wall refuses: an alert.

    number, call: of the system call, and its name; None where they are not known.
    """

    def __init__(self, message: str, number: int | None = None, call: str | None = None) -> None:
        super().__init__(message)
        self.number, self.call = number, call


class SandboxCrash(OperatorError):
    """The child or its zygote died for a reason that is no limit."""


class ProtocolError(OperatorError):
    """A peer wrote something that is not a frame, or a frame that makes no sense here."""
