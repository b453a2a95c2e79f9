"""Which isolation level can be reached here, and why not a higher one."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from sandbox.protocol import Level

LEVEL_NAMES: dict[Level, str] = {
    0: "in-process, no isolation",
    1: "own process with resource limits",
    2: "seccomp filter and resource limits",
    3: "namespaces, Landlock, seccomp filter and resource limits",
}


@dataclass(frozen=True, slots=True)
class LevelReport:
    """The level that is reached, and one sentence for each thing that stands between it and a higher one."""

    level: Level
    reasons: tuple[str, ...]

    @property
    def name(self) -> str:
        return LEVEL_NAMES[self.level]


def detect() -> LevelReport:
    """Look at this system. The engine of this version stops at level 1."""
    if not hasattr(os, "fork"):
        return LevelReport(0, (f"{sys.platform} has no fork, which the engine needs",))
    return LevelReport(1, ("this version's engine has no seccomp filter, Landlock rules or namespaces yet",))
