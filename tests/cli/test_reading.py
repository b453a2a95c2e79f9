"""`runs`, `show` and the ways to name a run; streams and exit codes of the real script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dynaflow.events import EVENT

pytestmark = pytest.mark.usefixtures("pens")


def test_runs_are_listed(cli):
    done = cli("runs")
    assert (done.returncode, done.stderr) == (0, "")
    header, row = done.stdout.splitlines()
    assert header.split() == ["run", "status", "mode", "model", "calls", "answer", "question"]
    assert row.split()[:6] == ["20261201-142233-1f0ab2", "degraded", "dynamic", "local", "4", "12"]


@pytest.mark.parametrize("name", ["20261201-142233-1f0ab2", "2026", "last"])
def test_a_run_is_shown(cli, name: str):
    done = cli("show", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert "call 3 coder [change] · delivered" in done.stdout


def test_show_shows_the_last_run_by_default(cli):
    assert cli("show").stdout == cli("show", "last").stdout


def test_show_full_cuts_nothing(cli):
    assert "more characters)" in cli("show").stdout
    assert "more characters)" not in cli("show", "--full").stdout


def test_show_as_json_gives_the_events(cli, pens):
    events = json.loads(cli("show", "--json").stdout)
    assert [EVENT.validate_python(event) for event in events] == pens


def test_an_unknown_run_is_named(cli):
    done = cli("show", "1999")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: no run '1999' in the journal: `dynaflow runs` lists them, `last` names the newest\n"


def test_an_empty_journal_is_no_error(cli, tmp_path: Path):
    done = cli("runs", "--journal", str(tmp_path / "empty.db"))
    assert (done.returncode, done.stdout) == (0, "")
    assert "no run yet" in done.stderr


def test_a_journal_that_cannot_be_opened_is_named(cli, folder: Path):
    done = cli("runs", "--journal", str(folder))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: cannot open the journal {str(folder)!r}: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_password_in_a_url_is_not_shown(cli):
    done = cli("runs", "--journal", "nodialect://me:secret@host/journal")
    assert done.returncode == 2
    assert "nodialect://***@host/journal" in done.stderr
    assert "secret" not in done.stderr


def test_output_that_the_terminal_cannot_encode_is_escaped(cli):
    done = cli("show", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "\\u2026" in done.stdout
