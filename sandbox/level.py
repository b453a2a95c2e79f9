"""Which isolation level can be reached here, and why not a higher one.

The walls are really raised, in a throw-away process that reports how far it came: what a system promises and what a container
lets through are two things. A running sandbox knows its level from its own zygote in the same way.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from sandbox.protocol import Level

DEFAULT_MINIMUM: Level = 2 if sys.platform == "linux" else 1
"""What a sandbox demands if nobody says otherwise."""

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
    """Raise the walls around a throw-away process and see what holds. Takes about a tenth of a second."""
    if not hasattr(os, "fork"):
        return LevelReport(0, (f"{sys.platform} has no fork, which the engine needs",))
    code = _PROBE.format(root=str(Path(__file__).resolve().parent.parent))
    probe = subprocess.run(  # noqa: S603 - our own interpreter, our own code
        [sys.executable, "-s", "-P", "-S", "-B", "-c", code], capture_output=True, env={}, check=False
    )
    try:
        level, missing = json.loads(probe.stdout)
    except ValueError:
        last = probe.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return LevelReport(1, (f"the walls could not be tried: {last or 'the process that tried them died'}",))
    return LevelReport(level, tuple(missing))


_PROBE = """
import json, sys
sys.path.insert(0, {root!r})
from sandbox.walls import enclose
reached = enclose(2)
print(json.dumps([reached.level, reached.missing]))
"""
