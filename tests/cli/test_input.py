"""What a user may get wrong on the command line, and what every command says of itself."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
import typer

from dynaflow.cli import options
from dynaflow.errors import SettingError
from dynaflow.events import Budget

COMMANDS = ["solve", "run", "check", "runs", "show", "agents", "doctor", "models"]


def test_help_names_every_command(cli):
    done = cli("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert [name for name in COMMANDS if f" {name} " not in done.stdout] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_a_help_text(cli, command: str):
    done = cli(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.strip(" │") for line in done.stdout.splitlines() if line.strip(" │").startswith("--")]
    assert rows
    assert [row for row in rows if len(row.split()) < 4] == []


def test_the_version_is_printed(cli):
    assert cli("--version").stdout.startswith("dynaflow 0.")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "q", "--mode", "maybe"], ["maybe", "direct", "dynamic", "forced"]),
        (["solve", "q", "--pool", "nowhere.yaml"], ["nowhere.yaml"]),
        (["solve", "q", "--corpus", "nowhere"], ["nowhere"]),
        (["solve", "q", "--context", "@nowhere.txt"], ["nowhere.txt"]),
        (["solve", "q", "--budget-turns", "0"], ["--budget-turns"]),
        (["solve", "q", "--budget-usd", "much"], ["--budget-usd", "much", "+20"]),
        (["solve", "q", "--seed", "x"], ["--seed"]),
        (["solve", " "], ["question", "empty"]),
        (["solve", "-"], ["standard input", "empty"]),
        (["solve", "-", "--approve"], ["--approve", "standard input"]),
        (["solve"], ["QUESTION"]),
        (["solve", "q", "--colour"], ["--colour"]),
        (["sovle"], ["sovle"]),
        (["check", "nowhere.py"], ["nowhere.py"]),
        (["run", "nowhere.py"], ["nowhere.py"]),
    ],
)
def test_bad_input_is_named_in_one_message(cli, arguments: list[str], words: list[str]):
    done = cli(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert [word for word in words if word not in done.stderr] == []


def test_a_file_that_is_no_text_is_named(cli, folder: Path):
    (folder / "binary.py").write_bytes(b"\xff\xfe\x00")
    done = cli("check", "binary.py")
    assert done.returncode == 2
    assert "'binary.py' is no text in UTF-8" in done.stderr


def test_the_defaults_that_the_help_names_are_those_of_the_budget():
    default = Budget()
    for name, option in (
        ("turns", options.BudgetTurns),
        ("calls", options.BudgetCalls),
        ("tokens", options.BudgetTokens),
        ("usd", options.BudgetUsd),
        ("seconds", options.BudgetSeconds),
        ("concurrency", options.BudgetConcurrency),
    ):
        value = getattr(default, name)
        said = "no limit" if value is None else f"{value:g}"
        assert f"Default: {said}." in f"{option.__metadata__[0].help}"
    assert options.budget_of(calls=None, tokens=None, seconds=None) == default


def test_an_amount_is_a_limit_or_so_much_more_than_before():
    before = Budget(calls=30, tokens=None)
    calls, usd = options.parse_amount("+20"), options.parse_amount("0.25")
    raised = options.budget_of(before, calls=calls, usd=usd, tokens=options.parse_amount("+5"), turns=None)
    assert raised == Budget(calls=50, usd=Decimal("0.25"), tokens=None)
    assert options.budget_of(before, calls=options.parse_amount("7")).calls == 7


@pytest.mark.parametrize("text", ["", "-1", "+", "1e3", "nan", "twenty", "++2", "٣"])
def test_what_is_no_amount_is_refused(text: str):
    with pytest.raises(typer.BadParameter, match="no amount"):
        options.parse_amount(text)


def test_a_limit_that_no_budget_can_have_is_named():
    with pytest.raises(SettingError, match=r"--budget-calls cannot be 2\.5"):
        options.budget_of(calls=options.parse_amount("2.5"))


HEAVY = ["openai", "sqlalchemy", "jinja2", "aiohttp", "httpx2", "numpy", "torch", "transformers", "datasets", "vllm"]


@pytest.mark.parametrize("statement", ["import dynaflow", "from dynaflow.cli.app import build; build()"])
def test_nothing_heavy_is_imported_at_the_start(statement: str):
    code = f"import sys, json; {statement}; print(json.dumps(sorted(sys.modules)))"
    modules = json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
    assert [name for name in HEAVY if name in modules] == []
