"""`dynaflow runs`: the latest runs of the journal."""

import sys
from typing import Annotated

import typer

from dynaflow.cli import options
from dynaflow.cli.exits import note


def runs(
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many runs at most.")] = 20,
    journal: options.JournalPlace = None,
) -> None:
    """List the latest runs, newest first. dynaflow show RUN tells one of them."""
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
