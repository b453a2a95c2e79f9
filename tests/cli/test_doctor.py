"""`doctor`: what it says of a machine, and of one where something is missing."""

from __future__ import annotations

import re


def state(output: str, name: str) -> str:
    found = re.search(rf"^{name} +(ok|note|missing) ", output, re.MULTILINE)
    return found[1] if found else "not there"


def test_a_machine_that_is_ready(cli, environment: dict[str, str]):
    done = cli("doctor", OPENAI_API_KEY="sk-secret")
    assert (done.returncode, done.stderr) == (0, "")
    names = ("dynaflow", "python", "packages", "journal", "OPENAI_API_KEY")
    assert {name: state(done.stdout, name) for name in names} == dict.fromkeys(names, "ok")
    assert "sk-secret" not in done.stdout
    assert environment["DYNAFLOW_JOURNAL"] in done.stdout


def test_the_isolation_level_is_explained(cli):
    assert re.search(
        r"^isolation +(ok +level 3|note +level \d \(.+\); not higher: .+)", cli("doctor").stdout, re.MULTILINE
    )


def test_without_model_and_key_the_ways_out_are_named(cli):
    done = cli("doctor")
    assert state(done.stdout, "embedded model") == "note"
    assert "dynaflow models pull" in done.stdout.replace("\n", " ")
    assert state(done.stdout, "OPENAI_API_KEY") == "note"


def test_a_journal_that_cannot_be_written_stops_every_run(cli):
    done = cli("doctor", "--journal", "/proc/journal.db")
    assert (done.returncode, done.stderr) == (2, "")
    assert state(done.stdout, "journal") == "missing"
