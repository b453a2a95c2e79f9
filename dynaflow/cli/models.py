"""`dynaflow models`: the embedded models, and how their weights come to this machine."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from dynaflow.cli.exits import INTERRUPTED, note

app = typer.Typer(help="List, pull and find the embedded models.", no_args_is_help=True)

Name = Annotated[str | None, typer.Argument(metavar="[NAME]", help="Embedded model. Default: the first of the list.")]


@app.command("list")
def list_models() -> None:
    """List the embedded models, the default first."""
    from rich.console import Console
    from rich.table import Table

    from subagents.local.catalog import CATALOG
    from subagents.local.settings import LocalSettings
    from subagents.local.weights import is_present

    table = Table("model", "size", "licence", "context", "present", box=None, pad_edge=False)
    for model in CATALOG:
        size = f"{model.size / 1e6:,.0f} MB"
        table.add_row(model.name, size, model.licence, f"{model.context:,}", "yes" if is_present(model) else "no")
    Console(highlight=False).print(table)
    given = LocalSettings.read().local_model
    if given is not None:
        note(f"DYNAFLOW_LOCAL_MODEL is set: {str(given)!r} is used in their place")


@app.command()
def pull(name: Name = None) -> None:
    """Bring the weights of an embedded model to this machine, checked by their sha256; prints their path.

    What an interrupted pull has brought is kept, and the next one goes on from there.
    """
    from subagents.local.weights import pull as pull_weights

    try:
        with _bar() as progress:
            path = pull_weights(name, progress=progress)
    except KeyboardInterrupt:
        note("interrupted: what has been brought is kept, the same command goes on from there")
        raise typer.Exit(INTERRUPTED) from None
    typer.echo(str(path))


@app.command()
def path(name: Name = None) -> None:
    """Print the path of the weights that are used. Exit code 2 if they are not on this machine."""
    from subagents.local.weights import weights_path

    typer.echo(str(weights_path(name)))


@contextmanager
def _bar() -> Iterator[Callable[[int, int, str], None]]:
    """A progress bar on standard error; whenever what is being done changes, a line above it says so."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn
    from rich.text import Text

    from dynaflow.wording import visible

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    console = Console(stderr=True, highlight=False)
    said: list[str] = []
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        row = bar.add_task("pull", total=None)

        def show(done: int, total: int, what: str) -> None:
            if what not in said:
                said.append(what)
                console.print(Text(visible(what)), soft_wrap=True)
            bar.update(row, completed=done, total=total)

        yield show
