"""The audit of a run as a person reads it: a table with one row for each program, and what each row cannot hold below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from dynaflow.events import Event, ProgramAudited
from dynaflow.wording import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import RenderableType

_ALERT = "bold red"
_COLUMNS = (
    "turn", "author", "level", "end", "cpu", "wall", "memory", "frames in/out", "bytes in/out", "refused", "allowed",
)  # fmt: skip


def render_audit(events: Iterable[Event]) -> RenderableType:
    """The programs of a run, to print with `rich`. In and out are as the host sees it: read of a program, sent to it."""
    records = [event for event in events if isinstance(event, ProgramAudited)]
    if not records:
        return Text("no program ran", "yellow")
    table = Table(*_COLUMNS, box=None, pad_edge=False)
    for record in records:
        style = _ALERT if record.alert else "" if record.cause == "finished" else "yellow"
        table.add_row(*(Text(cell, style) for cell in _cells(record)))
    return Group(table, *(line for record in records for line in _notes(record)))


def _cells(record: ProgramAudited) -> Iterator[str]:
    limits = record.limits
    yield _place(record)
    yield visible(record.author)
    yield str(record.isolation_level)
    yield visible(record.cause)
    yield f"{record.cpu_seconds:.3f} of {limits['cpu_seconds']:g} s"
    yield f"{record.wall_seconds:.2f} of {limits['wall_seconds']:g} s"
    yield f"{record.peak_bytes / 2**20:.0f} MiB"
    yield f"{record.frames:,}/{record.frames_written:,}"
    yield f"{record.bytes_read:,}/{record.bytes_written:,}"
    yield str(sum(record.refusals.values()) + len(record.not_granted))
    yield f"{len(record.policy.agents)} agents, {len(record.policy.modules)} modules"


def _notes(record: ProgramAudited) -> Iterator[Text]:
    """What was decided and refused, and what the program died of."""
    place = f"{_place(record)}: "
    if record.alert is not None:
        number, name = record.alert.number, record.alert.name or "unknown"
        call = "a system call that is not known" if number is None else f"the system call {number} ({visible(name)})"
        yield Text(f"{place}ALERT: killed for {call}, which the walls refuse", _ALERT)
    elif record.detail:
        yield Text(f"{place}{visible(record.cause)}: {visible(record.detail)}", "yellow")
    for names, fate in ((record.granted, "granted"), (record.not_granted, "not granted")):
        if names:
            yield Text(f"{place}{fate}: {visible(', '.join(names))}")
    for failure, calls in record.refusals.items():
        yield Text(f"{place}calls that were refused as {visible(failure)}: {calls}")


def _place(record: ProgramAudited) -> str:
    """The turn, and the call in which a sub-agent's program ran."""
    return str(record.turn) if record.call is None else f"{record.turn}.{record.call}"
