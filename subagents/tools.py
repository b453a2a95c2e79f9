"""Tools: what an agent's reply can be made through. A tool is given text and gives text, and perhaps data.

A tool says of itself what decides its results, and whether it is pure; a pure one is asked the same thing once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gives: text for a reader, and the same as data where it has a structure."""

    text: str
    value: JsonValue = None
    """The result as data; None where the text is all there is."""
    parts: tuple[str, ...] = ()
    """The text in pieces, where it is a list of things such as passages."""


class ToolFailed(Exception):
    """A tool could not do what it was asked; the message is worded for who asked."""


class Tool(Protocol):
    """Something that turns a text (a query, a program) into a result."""

    @property
    def name(self) -> str:
        """What a pool file calls it."""
        ...

    @property
    def description(self) -> str:
        """One line that says what it does."""
        ...

    @property
    def identity(self) -> str:
        """What decides its results, beside the text: a digest of its corpus, for one that searches."""
        ...

    @property
    def pure(self) -> bool:
        """Whether equal texts have equal results, so that one need not be worked out twice."""
        ...

    async def __call__(self, text: str) -> ToolResult:
        """Do it. Raises `ToolFailed`."""
        ...


class Memoized:
    """A pure tool that remembers its results; a failure is tried again."""

    pure = True

    def __init__(self, tool: Tool) -> None:
        self.name, self.description, self.identity = tool.name, tool.description, tool.identity
        self._tool = tool
        self._results: dict[str, ToolResult] = {}

    async def __call__(self, text: str) -> ToolResult:
        """What the tool gives, or gave before."""
        if text not in self._results:
            self._results[text] = await self._tool(text)
        return self._results[text]


def memoized(tool: Tool) -> Tool:
    """The tool, remembering its results if it is pure."""
    return Memoized(tool) if tool.pure else tool
