"""Tools: what an agent's reply can be made through. A tool is given text and gives text, and perhaps data."""

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

    async def __call__(self, text: str) -> ToolResult:
        """Do it. Raises `ToolFailed`."""
        ...
