"""`dynaflow show`: the story of one run."""

from typing import Annotated

import typer

from dynaflow.cli import options


def show(
    run: options.RunId = "last",
    full: Annotated[bool, typer.Option("--full", help="Every text whole, and what the main agent was sent.")] = False,
    audit: Annotated[
        bool, typer.Option("--audit", help="One row for each program: what it was allowed, used, and died of.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the events as one JSON array instead.")] = False,
    journal: options.JournalPlace = None,
) -> None:
    """Show how a run went: its turns, programs, calls and answer, as a tree."""
    from rich.console import Console

    from dynaflow.audit_table import render_audit
    from dynaflow.events import EVENT
    from dynaflow.journal import Journal
    from dynaflow.trace import render_trace

    with Journal.open(journal) as record:
        events = record.events(record.find(run))
    if audit:
        events = [event for event in events if event.type == "ProgramAudited"]
    if as_json:
        typer.echo("[" + ",\n".join(EVENT.dump_json(event).decode() for event in events) + "]")
    elif audit:
        Console(highlight=False).print(render_audit(events))
    else:
        Console(highlight=False).print(render_trace(events, full=full))
