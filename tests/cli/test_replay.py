"""`dynaflow resume`, `rollback` and `whatif` as processes of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dynaflow.testing import LoopbackServer, ScriptedModel, anyone, echo, serve

PROGRAM = """
drafts = [ask("solver", f"Solve {n}") for n in "ab"]
return [ask("critic", "Check it.", inputs={"draft": d}) for d in drafts]
"""


@pytest.fixture
def program(folder: Path) -> Path:
    file = folder / "program.py"
    file.write_text(PROGRAM)
    return file


def answered(cli, server: LoopbackServer, program: Path, *more: str):
    return cli("run", str(program), "--agent-model", server.endpoint("agent"), "--quiet", *more)


def test_what_if_a_call_had_brought_nothing_or_something_else(cli, program: Path, folder: Path):
    with serve(ScriptedModel(anyone(echo))) as server:
        first = answered(cli, server, program)
        assert (first.returncode, server.received) == (0, 4)
        without = cli("whatif", "last", "--without", "1", "--json")
        assert (without.returncode, server.received) == (0, 5)
        assert json.loads(without.stdout)["served"] == 3
        (folder / "reply.txt").write_text("forty-two\n")
        other = cli("whatif", first_run(cli), "--reply", "1.2=reply.txt")
        assert (other.returncode, server.received) == (0, 6)
        assert "whatif of run" in cli("show").stdout
        assert "served from run" in cli("show").stdout
        (folder / "edited.py").write_text(PROGRAM.replace('"ab"', '"abc"'))
        assert cli("whatif", first_run(cli), "--program", "edited.py").returncode == 0
        assert server.received == 8


def first_run(cli) -> str:
    listed = cli("runs").stdout.splitlines()
    return next(word for line in reversed(listed) for word in line.split() if word.startswith("20"))


def test_more_calls_for_a_run_that_had_too_few(cli, program: Path):
    with serve(ScriptedModel(anyone(echo))) as server:
        first = answered(cli, server, program, "--budget-calls", "3")
        assert (first.returncode, server.received) == (1, 3)
        assert cli("resume", "last", "--budget-calls", "+1").returncode == 0
        assert server.received == 4
        again = cli("resume", "last")
        assert again.returncode == 2
        assert "has its answer" in again.stderr


def test_a_run_goes_back_to_a_call(cli, program: Path):
    with serve(ScriptedModel(anyone(echo))) as server:
        answered(cli, server, program)
        back = cli("rollback", "last", "--to", "1.4")
        assert (back.returncode, server.received) == (0, 5)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["whatif", "last"], "nothing is changed"),
        (["whatif", "last", "--without", "x"], "'x' is no call"),
        (["whatif", "last", "--without", "9"], "has no call 9"),
        (["whatif", "last", "--without", "1.1", "--without", "2.1"], "must be of one workflow"),
        (["whatif", "last", "--reply", "1"], "write CALL=FILE"),
        (["whatif", "last", "--reply", "1=missing.txt"], "cannot read 'missing.txt'"),
        (["whatif", "nowhere", "--without", "1"], "no run 'nowhere'"),
        (["rollback", "last", "--to", "7"], "no turn 7"),
        (["resume", "last", "--budget-calls", "x"], "is no amount"),
    ],
)
def test_bad_input_is_said_in_one_line(cli, program: Path, arguments: list[str], said: str):
    with serve(ScriptedModel(anyone(echo))) as server:
        answered(cli, server, program)
    done = cli(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
