"""Carries out a run for a command: live view, journal, Ctrl-C, and the result at the end.

The answer is all that goes to standard output. The first Ctrl-C cancels the run, which then writes its end
into the journal; a second one does not wait for that.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
import typer

from dynaflow.cli.exits import INTERRUPTED, OF_STATUS, note
from dynaflow.journal import Journal
from dynaflow.live import LiveView
from dynaflow.trace import closing
from dynaflow.wording import visible

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import NoReturn

    from dynaflow.solving import Result


@dataclass(frozen=True, slots=True)
class Output:
    """How a command answers, and where it keeps its record."""

    as_json: bool
    quiet: bool
    journal: str | None


def carry_out(work: Callable[[Journal, LiveView], Awaitable[Result]], output: Output) -> NoReturn:
    """Do the work and report its result. Raises `typer.Exit` with the exit code."""
    with Journal.open(output.journal) as journal, LiveView(quiet=output.quiet) as view:
        try:
            result = anyio.run(work, journal, view)
        except KeyboardInterrupt:
            result = None
    if result is None:
        _interrupted(view.run)
        raise typer.Exit(INTERRUPTED)
    _answer(result, as_json=output.as_json)
    _close(result, quiet=output.quiet)
    raise typer.Exit(OF_STATUS[result.status])


def _interrupted(run: str | None) -> None:
    kept = f"what had happened is kept, `dynaflow show {run}` tells it" if run else "no run had begun"
    note(f"interrupted: {kept}")


def _answer(result: Result, *, as_json: bool) -> None:
    """The answer as it is, so that it can be piped; only a terminal is spared what would act on it."""
    if as_json:
        sys.stdout.write(result.model_dump_json() + "\n")
    elif result.answer is not None:
        answer = visible(result.answer) if sys.stdout.isatty() else result.answer
        sys.stdout.write(answer.rstrip("\n") + "\n")
    sys.stdout.flush()


def _close(result: Result, *, quiet: bool) -> None:
    if result.status == "degraded":
        note(f"warning: the answer may suffer: {result.reason}")
    elif result.status != "answered":
        note(f"{result.status.replace('_', ' ')}: {result.reason} (dynaflow show {result.run})")
    if not quiet:
        note(f"{closing(result)} · run {result.run}")
