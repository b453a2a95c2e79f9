"""Commands of other packages, of the floors above among them, found by their entry points.

An entry point of the group `dynaflow.commands` loads a typer app, which is mounted under the entry point's
name. One that does not load costs a warning and nothing else.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING

import typer

from dynaflow.cli.exits import note

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "dynaflow.commands"


def mount(app: typer.Typer) -> None:
    """Add every command that an entry point offers, and that has a name of its own."""
    taken = {command.callback.__name__ for command in app.registered_commands if command.callback}
    taken |= {group.name for group in app.registered_groups if group.name}
    for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name):
        try:
            app.add_typer(_load(entry, taken), name=entry.name)
        except Exception as error:  # noqa: BLE001 - a foreign package may fail in any way
            note(f"warning: the command {entry.name!r} of {entry.value!r} is left out: {error}")
        taken.add(entry.name)


def _load(entry: EntryPoint, taken: set[str]) -> typer.Typer:
    if entry.name in taken:
        raise ValueError("there is a command of that name already")
    loaded = entry.load()
    if not isinstance(loaded, typer.Typer):
        raise TypeError(f"it is no typer app but {type(loaded).__name__}")
    return loaded
