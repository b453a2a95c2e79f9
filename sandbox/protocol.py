"""The two Protocols of this package: `Sandbox`, which runs programs, and `Door`, through which they reach out.

Nothing inherits from them. Floor 2 writes a door and holds a sandbox; another engine can be put in the
place of the first without touching floor 2.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from sandbox.contract import JSON, Contract, Finding, Reply, Request
from sandbox.errors import WorkflowError
from sandbox.limits import Limits

Level = Literal[0, 1, 2, 3]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a program used: processor and wall seconds, peak resident bytes, steps, and what passed between it and its host.

    frames, bytes_read: what the host read of it; frames_written, bytes_written: what the host sent, its work included.
    """

    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    peak_bytes: int = 0
    steps: int = 0
    frames: int = 0
    frames_written: int = 0
    bytes_read: int = 0
    bytes_written: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a program ended: with a value, or with the error that is its author's to mend."""

    value: JSON
    printed: str
    error: WorkflowError | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class Setting:
    """What makes a program deterministic: the seed of `random`, and what `now()` gives (Unix seconds).

    paced: have the program say each time that it waits, so that its door can hand out replies one by one.
    """

    seed: int = 0
    now: float = 0.0
    paced: bool = False


class Door(Protocol):
    """Where the requests of a program go, and who keeps its time.

    A program is a function of what it is sent and of the order of it. So whoever is to run it a second time needs to
    know the order in which the functions of `admit` and `deadline` returned, and has to let them return in it again.
    """

    def admit(self, batch: Sequence[Request]) -> Sequence[Callable[[], Awaitable[Reply]]]:
        """Take a whole batch at once and give, for each request, the function that will serve it.

        Called once for all requests that the program registered since it last waited, before any of them is
        served, so that a budget can refuse the batch as a whole (each function then returns a failure). The
        sandbox runs the functions side by side, hands each reply to the program in the order in which they
        end, and cancels those still running when the program has ended.
        """
        ...

    def deadline(self, number: int, seconds: float) -> Callable[[], Awaitable[None]]:
        """Take a time limit that the program set while calls are outstanding; the function returns when it is over."""
        ...

    def waiting(self, outstanding: Collection[int]) -> None:
        """Told of a `paced` program, each time that it waits: for these calls, or for a time limit."""
        ...


class Sandbox(Protocol):
    """Runs untrusted programs, one process each."""

    @property
    def level(self) -> Level:
        """The isolation level that is reached: 3 namespaces, 2 seccomp, 1 process and limits, 0 in-process."""
        ...

    async def check(self, program: str, contract: Contract, limits: Limits = ...) -> list[Finding]:
        """What is wrong with the program as far as can be told without running it."""
        ...

    async def run(
        self, program: str, contract: Contract, door: Door, *, limits: Limits = ..., setting: Setting = ...
    ) -> Outcome:
        """Run the program to its end. Raises `OperatorError` only; the program's faults are in the outcome."""
        ...

    async def aclose(self) -> None:
        """End every process that the sandbox started."""
        ...
