"""The real console script, in a process of its own, from a folder that holds traps for careless imports."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from dynaflow.events import EVENT, Event
from dynaflow.journal import Journal

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def script() -> Path:
    """The console script of the environment that runs the tests."""
    return Path(sys.executable).with_name("dynaflow")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with packages that are named like ours and fail when imported."""
    place = tmp_path / "work"
    for name in ("training", "benchmarks", "sandbox", "subagents", "dynaflow"):
        (place / name).mkdir(parents=True)
        (place / name / "__init__.py").write_text(f"raise ImportError('the wrong {name} was imported')\n")
    return place


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Nothing of the user's own: no settings, no keys, no journal, no cache."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    home = {name: str(tmp_path / name.lower()) for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    return {**kept, **home, "COLUMNS": "200", "DYNAFLOW_JOURNAL": str(tmp_path / "journal.db")}


@pytest.fixture
def cli(script: Path, folder: Path, environment: dict[str, str]) -> Cli:
    def run(*arguments: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [script, *arguments], input=stdin, capture_output=True, text=True, cwd=folder, env={**environment, **more}
        )

    return run


@pytest.fixture
def pens(environment: dict[str, str]) -> list[Event]:
    """A finished run in the journal."""
    path = Path(__file__).parent.parent / "dynaflow" / "pens.jsonl"
    events = [EVENT.validate_json(line) for line in path.read_bytes().splitlines()]

    async def fill() -> None:
        with Journal.open(environment["DYNAFLOW_JOURNAL"]) as journal:
            for event in events:
                await journal.append("20261201-142233-1f0ab2", event)

    anyio.run(fill)
    return events
