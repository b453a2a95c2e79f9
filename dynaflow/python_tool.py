"""The `coder`'s tool: a short Python program, run in the sandbox without any way to reach out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from typing import cast

import anyio
from pydantic import JsonValue

from sandbox import Contract, Limits, Reply, Request, Sandbox
from subagents import ToolFailed, ToolResult

_LIMITS = Limits(wall_seconds=30.0)


class PythonTool:
    """Runs a program and gives what it printed, or the value that it returned where it printed nothing."""

    name = "python"
    description = "Runs a short Python program and gives what it printed."

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def __call__(self, text: str) -> ToolResult:
        """Run the program `text`. Raises `ToolFailed` with the program's error, worded for its author."""
        outcome = await self._sandbox.run(text, Contract(), _Nothing(), limits=_LIMITS)
        if outcome.error is not None:
            raise ToolFailed(f"{outcome.error.kind}: {outcome.error}")
        printed = outcome.printed.strip()
        if not printed and outcome.value is None:
            raise ToolFailed("the program printed nothing; print the result")
        if printed:
            return ToolResult(printed)
        return ToolResult(str(outcome.value), value=cast("JsonValue", outcome.value))


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
