"""`dynaflow models`, by the real console script."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def models(*arguments: str) -> subprocess.CompletedProcess[str]:
    script = Path(sys.executable).with_name("dynaflow")
    environment = {**os.environ, "COLUMNS": "200"}
    return subprocess.run([script, "models", *arguments], capture_output=True, text=True, env=environment)


def test_list_shows_what_is_there(cache: Path) -> None:
    ended = models("list")
    assert ended.returncode == 0
    rows = [line.split() for line in ended.stdout.splitlines()]
    assert rows[0] == ["model", "size", "licence", "context", "present"]
    assert rows[1] == ["qwen2.5-coder-1.5b", "1,117", "MB", "Apache-2.0", "32,768", "no"]


def test_path_of_a_given_file(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = tmp_path / "mine.gguf"
    given.write_bytes(b"GGUF")
    monkeypatch.setenv("DYNAFLOW_LOCAL_MODEL", str(given))
    assert models("path").stdout == f"{given}\n"
    assert "DYNAFLOW_LOCAL_MODEL" in models("list").stderr


@pytest.mark.parametrize("arguments", [("path",), ("path", "nothing"), ("pull", "nothing")], ids=" ".join)
def test_what_is_not_there_is_one_message_and_exit_code_2(cache: Path, arguments: tuple[str, ...]) -> None:
    ended = models(*arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("error: ")
    assert ended.stderr.count("\n") == 1
