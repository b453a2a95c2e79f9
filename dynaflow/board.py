"""The run's shared board of artifacts: a value under an id, every version kept."""

from __future__ import annotations

from pydantic import JsonValue


class Board:
    """Artifacts of one run. Versions of an id count from 1 and are never overwritten."""

    def __init__(self) -> None:
        self._versions: dict[str, list[JsonValue]] = {}

    def share(self, artifact: str, value: JsonValue) -> int:
        """Put a value on the board and give its version."""
        versions = self._versions.setdefault(artifact, [])
        versions.append(value)
        return len(versions)

    def recall(self, artifact: str) -> JsonValue:
        """The newest version. Raises KeyError naming what there is."""
        if artifact not in self._versions:
            there = ", ".join(map(repr, self._versions)) or "nothing"
            raise KeyError(f"no artifact {artifact!r} is shared; there is {there}")
        return self._versions[artifact][-1]
