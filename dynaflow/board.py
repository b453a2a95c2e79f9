"""The run's shared board of artifacts: a value under an id, every version kept.

Versions of an id count from 1 and are never overwritten. They lie in the journal's database, which lets one writer win each
version, also among several processes that work on one run: the others get the next version, or, if they said
which version they had seen, a `VersionConflict`. A value that this process has shared is given back as it was; one from elsewhere
as the journal has it, redacted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import JsonValue

    from dynaflow.journal import Journal


class Board:
    """Artifacts of one run."""

    def __init__(self, journal: Journal, run: str) -> None:
        self._journal = journal
        self._run = run
        self._own: dict[tuple[str, int], JsonValue] = {}

    async def share(self, artifact: str, value: JsonValue, expected: int | None = None) -> int:
        """Put a value on the board and give its version.

        expected: the newest version that the writer knows of, 0 for none; raises `VersionConflict` if there is another.
        """
        version = await self._journal.share(self._run, artifact, value, expected)
        self._own[artifact, version] = value
        return version

    async def recall(self, artifact: str, version: int | None = None) -> JsonValue:
        """A version of an artifact, the newest if none is named. Raises KeyError naming what there is."""
        return (await self.find(artifact, version))[1]

    async def find(self, artifact: str, version: int | None = None) -> tuple[int, JsonValue]:
        """The same, with its version."""
        found, value = await self._journal.recall(self._run, artifact, version)
        return found, self._own.get((artifact, found), value)
