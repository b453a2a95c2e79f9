"""`dynaflow runs`: the latest runs of the journal; and how old ones leave it, and runs go from one journal to another."""

import re
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from dynaflow.cli import options
from dynaflow.cli.exits import note
from dynaflow.errors import SettingError

app = typer.Typer(invoke_without_command=True)
_SECONDS = {"h": 3600.0, "d": 86400.0, "w": 604800.0}
_OutFile = Annotated[Path, typer.Option("--out", metavar="FILE", help="File to write; `.gz` compresses it.")]
_InFile = Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="What `export` wrote.")]


@app.callback()
def runs(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many runs at most.")] = 20,
    journal: options.JournalPlace = None,
) -> None:
    """List the latest runs, newest first. dynaflow show RUN tells one of them."""
    if context.invoked_subcommand is not None:
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from dynaflow.journal import Journal
    from dynaflow.trace import STYLES
    from dynaflow.wording import one_line

    with Journal.open(journal) as record:
        found = record.runs(limit)
    if not found:
        note("no run yet: `dynaflow solve QUESTION` makes one")
        return
    table = Table("run", "status", "mode", "model", "calls", "answer", "question", box=None, pad_edge=False)
    for column in table.columns[:5]:
        column.no_wrap = True
    for each in found:
        status = each.status or "unfinished"
        table.add_row(
            each.run,
            Text(status.replace("_", " "), STYLES.get(status, "yellow")),
            each.mode,
            Text(one_line(each.model, 20)),
            str(each.calls),
            Text(one_line(each.answer or "", 20), no_wrap=True, overflow="ellipsis"),
            Text(one_line(each.question, 200), no_wrap=True, overflow="ellipsis"),
        )
    Console(highlight=False, width=None if sys.stdout.isatty() else 200).print(table)
    redacted = sum(each.redacted for each in found)
    if redacted:
        note(f"{redacted} secrets were kept out of {sum(each.redacted > 0 for each in found)} of these runs")


@app.command()
def prune(
    older: Annotated[str, typer.Option(metavar="AGE", help="Age of what goes, e.g. 30d, 12h or 8w.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say which runs would go.")] = False,
    journal: options.JournalPlace = None,
) -> None:
    """Delete the runs whose last event is older than AGE, and values that nothing points at any more.

    A run stays as long as a younger one that was made from it.
    """
    from dynaflow.journal import Journal
    from dynaflow.pruning import prune as prune_runs

    before = time.time() - _seconds(older)
    with Journal.open(journal) as record:
        pruned = prune_runs(record, before, dry_run=dry_run)
    for run in pruned.runs:
        typer.echo(run)
    for run in pruned.kept:
        note(f"{run} stays: a younger run was made from it")
    would = "would go" if dry_run else "are gone"
    note(f"{len(pruned.runs)} runs and {pruned.artifacts} stored values {would}")


@app.command("export")
def export_runs(
    run: Annotated[list[str], typer.Argument(metavar="RUN...", help="Run ids, beginnings of them, or `last`.")],
    out: _OutFile,
    journal: options.JournalPlace = None,
) -> None:
    """Write runs to a file, with all that belongs to them."""
    from dynaflow.archive import export_runs
    from dynaflow.journal import Journal

    with Journal.open(journal) as record:
        found = list(dict.fromkeys(record.find(each) for each in run))
        export_runs(record, found, out)
    note(f"{len(found)} runs are in {str(out)!r}")


@app.command("import")
def import_runs(file: _InFile, journal: options.JournalPlace = None) -> None:
    """Read exported runs into the journal; a run that is there already is skipped."""
    from dynaflow.archive import import_runs
    from dynaflow.journal import Journal

    with Journal.open(journal) as record:
        imported = import_runs(record, file)
    for run in imported.added:
        typer.echo(run)
    for run in imported.skipped:
        note(f"{run} is there already: skipped")


def _seconds(age: str) -> float:
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)([hdw])", age.strip())
    if found is None:
        raise SettingError(f"{age!r} is no age: give a number with h, d or w behind it, e.g. 30d")
    return float(found[1]) * _SECONDS[found[2]]
