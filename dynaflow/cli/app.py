"""Gathers the commands of this floor, and those that the floors above offer."""

from typing import Annotated

import typer

from dynaflow.cli import models, runs
from dynaflow.cli.agents import agents
from dynaflow.cli.check import check
from dynaflow.cli.doctor import doctor
from dynaflow.cli.extensions import mount
from dynaflow.cli.replay import resume, rollback, whatif
from dynaflow.cli.run import run
from dynaflow.cli.show import show
from dynaflow.cli.solve import solve


def build() -> typer.Typer:
    """The whole command line."""
    app = typer.Typer(
        name="dynaflow",
        callback=_root,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for command in (solve, run, check, resume, rollback, whatif, show, agents, doctor):
        app.command()(command)
    app.add_typer(runs.app, name="runs")
    app.add_typer(models.app, name="models")
    mount(app)
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"dynaflow {version('dynaflow-orchestrator')}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """A model answers a question, or writes a program that lets other models work on it.

    Start with: dynaflow solve "QUESTION". Then dynaflow show last tells how the answer came about.
    """
