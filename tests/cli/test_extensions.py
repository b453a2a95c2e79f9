"""Commands of other packages, installed the way packages are: a `.dist-info` folder on the path."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A distribution with four entry points, one of which is sound."""
    site = tmp_path / "site"
    (site / "extra-1.0.dist-info").mkdir(parents=True)
    (site / "extra-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: extra\nVersion: 1.0\n")
    (site / "extra-1.0.dist-info" / "entry_points.txt").write_text(
        "[dynaflow.commands]\n"
        "measure = extra:app\n"
        "gone = extra_that_is_gone:app\n"
        "number = extra:NUMBER\n"
        "show = extra:app\n"
    )
    (site / "extra.py").write_text(
        "import typer\n"
        "NUMBER = 5\n"
        "app = typer.Typer(help='Measures.')\n"
        "@app.command()\n"
        "def one() -> None:\n"
        "    'Measure one.'\n"
        "    print('measured')\n"
        "@app.command()\n"
        "def two() -> None:\n"
        "    'Measure two.'\n"
    )
    return site


def test_a_command_of_another_package_is_mounted(cli, installed: Path):
    done = cli("measure", "one", PYTHONPATH=str(installed))
    assert (done.returncode, done.stdout) == (0, "measured\n")


def test_broken_ones_warn_and_break_nothing(cli, installed: Path):
    done = cli("--help", PYTHONPATH=str(installed))
    assert done.returncode == 0
    assert "Measures." in done.stdout
    assert "Show how a run went" in done.stdout
    assert done.stderr.splitlines() == [
        "warning: the command 'gone' of 'extra_that_is_gone:app' is left out: No module named 'extra_that_is_gone'",
        "warning: the command 'number' of 'extra:NUMBER' is left out: it is no typer app but int",
        "warning: the command 'show' of 'extra:app' is left out: there is a command of that name already",
    ]
