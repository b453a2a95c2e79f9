"""The `coder`'s tool: a short Python program, run in the sandbox without any way to reach out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from typing import cast

import anyio
from pydantic import JsonValue

from dynaflow.audit import Subject, audited, current_call
from dynaflow.policies import Policy
from sandbox import Contract, Outcome, Reply, Request, Sandbox
from subagents import ToolFailed, ToolResult


class PythonTool:
    """Runs a program and gives what it printed, or the value that it returned where it printed nothing."""

    name = "python"
    description = "Runs a short Python program and gives what it printed."
    pure = True
    """The same program, without replies from outside, has the same result."""

    def __init__(self, sandbox: Sandbox, author: str, policy: Policy) -> None:
        """author: the agent that writes the programs. policy: what they may do."""
        self._sandbox = sandbox
        self._author = author
        self._policy = policy
        self._limits = policy.limited()
        self._contract = Contract(modules=policy.modules)
        self.identity = f"python under {policy.model_dump_json()}"

    async def __call__(self, text: str) -> ToolResult:
        """Run the program `text`. Raises `ToolFailed` with the program's error, worded for its author."""
        outcome = await self._run(text)
        if outcome.error is not None:
            raise ToolFailed(f"{outcome.error.kind}: {outcome.error}")
        printed = outcome.printed.strip()
        if not printed and outcome.value is None:
            raise ToolFailed("the program printed nothing; print the result")
        if printed:
            return ToolResult(printed)
        return ToolResult(str(outcome.value), value=cast("JsonValue", outcome.value))

    async def _run(self, text: str) -> Outcome:
        """Run it, with a record in the journal of the run whose call this is."""
        run = partial(self._sandbox.run, text, self._contract, _Nothing(), limits=self._limits)
        place = current_call()
        if place is None:
            return await run()
        subject = Subject(self._author, place.turn, self._sandbox.level, self._policy, self._limits, place.call)
        return await audited(run, subject, place.emit)


class _Nothing:
    """A door that leads nowhere: such a program has no host functions, so nothing can arrive here."""

    def admit(self, batch: Sequence[Request]) -> Sequence[Callable[[], Awaitable[Reply]]]:
        """Nothing to admit."""
        return []

    def deadline(self, number: int, seconds: float) -> Callable[[], Awaitable[None]]:
        """Nor to wait for: without calls outstanding, a program's time is its own."""
        return partial(anyio.sleep, seconds)

    def waiting(self, outstanding: Collection[int]) -> None:
        """Such a program is not paced."""
