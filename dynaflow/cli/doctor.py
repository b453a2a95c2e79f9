"""`dynaflow doctor`: what works on this machine, what does not, and what to do about it."""

import os
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Literal

import typer

from dynaflow.cli import options
from dynaflow.cli.exits import BAD_INPUT

DISTRIBUTION = "dynaflow-orchestrator"
KEYS = ("OPENAI_API_KEY", "VLLM_API_KEY", "DYNAFLOW_API_KEY")
"""Environment variables that hold the keys of endpoints."""

State = Literal["ok", "note", "missing"]


@dataclass(frozen=True, slots=True)
class Examined:
    """One thing that was looked at. `missing` stops every run, `note` stops none."""

    name: str
    state: State
    text: str


def doctor(journal: options.JournalPlace = None) -> None:
    """Say what works here: isolation, packages, the embedded model, the journal and the keys of endpoints.

    Exit codes: 0 ready to solve, 2 something that every run needs is missing.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from dynaflow.wording import visible

    styles = {"ok": "green", "note": "yellow", "missing": "red"}
    table = Table(box=None, pad_edge=False, show_header=False)
    examined = [*_runtime(), _isolation(), *_packages(), _model(), _journal(journal), *_keys()]
    for each in examined:
        table.add_row(each.name, Text(each.state, styles[each.state]), Text(visible(each.text)))
    Console(highlight=False).print(table)
    if any(each.state == "missing" for each in examined):
        raise typer.Exit(BAD_INPUT)


def _runtime() -> Iterator[Examined]:
    yield Examined("dynaflow", "ok", version(DISTRIBUTION))
    yield Examined("python", "ok", f"{platform.python_version()} on {platform.system()} {platform.machine()}")


def _isolation() -> Examined:
    from sandbox.level import DEFAULT_MINIMUM, detect

    report = detect()
    reached = f"level {report.level} ({report.name})"
    why = f"; not higher: {'; '.join(report.reasons)}" if report.reasons else ""
    state: State = "missing" if report.level < DEFAULT_MINIMUM else "note" if report.reasons else "ok"
    return Examined("isolation", state, reached + why)


def _packages() -> Iterator[Examined]:
    """The packages that the installed distribution asks for; one of an extra may be absent."""
    found, absent = [], []
    for requirement in requires(DISTRIBUTION) or ():
        name, extra = _name_and_extra(requirement)
        if name == DISTRIBUTION or extra == "all":  # which repeats the other extras
            continue
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            if extra is None:
                yield Examined("package", "missing", f"{name}: pip install {name!r}")
            else:
                absent.append(f"{name} (extra {extra})")
    yield Examined("packages", "ok", ", ".join(found))
    if absent:
        yield Examined("extras", "note", f"not installed: {', '.join(absent)}")


def _name_and_extra(requirement: str) -> tuple[str, str | None]:
    """Name and extra of a requirement such as `datasets<6,>=5; extra == 'bench'`."""
    specifier, _, marker = requirement.partition(";")
    name = re.match(r"[\w.-]+", specifier.strip())
    extra = re.search(r"extra == ['\"]([\w-]+)", marker)
    return name[0] if name else specifier.strip(), extra[1] if extra else None


def _journal(place: str | None) -> Examined:
    from dynaflow.errors import JournalError
    from dynaflow.journal import Journal

    try:
        with Journal.open(place) as journal:
            return Examined("journal", "ok", journal.place)
    except JournalError as error:
        return Examined("journal", "missing", str(error))


def _model() -> Examined:
    from subagents.local.errors import LocalError
    from subagents.local.weights import weights_path

    try:
        return Examined("embedded model", "ok", str(weights_path()))
    except LocalError as error:
        return Examined("embedded model", "note", str(error))


def _keys() -> Iterator[Examined]:
    """Whether keys are there, never what they are."""
    for name in KEYS:
        there = bool(os.environ.get(name))
        yield Examined(
            name, "ok" if there else "note", "set" if there else "not set: endpoints that need it are closed"
        )
