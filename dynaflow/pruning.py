"""Takes old runs out of the journal, and the artifacts that nothing points at any more.

A run is as old as its last event. A run from which a younger one was made (its parent) stays as long as that one stays, since
a child is served from its parent's events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, delete, exists, func, or_, select

from dynaflow.events import RunStarted
from dynaflow.journal import Journal
from dynaflow.journal_rows import read_events
from dynaflow.journal_tables import ARTIFACTS, BOARD, EVENT_ARTIFACTS, EVENTS, IS_START, OF_RUN, failures, locked

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Pruned:
    """What went: the runs, how many artifacts, and the old runs that stay because a younger one was made from them."""

    runs: tuple[str, ...]
    artifacts: int
    kept: tuple[str, ...]


def prune(journal: Journal, before: float, *, dry_run: bool = False) -> Pruned:
    """Delete the runs whose last event is older than `before` (Unix seconds); with `dry_run` only say which."""
    with failures(f"cannot prune the journal {journal.place!r}"):
        with locked(journal.engine) as connection:
            pruned = _prune(connection, before)
            if dry_run:
                connection.rollback()
        if pruned.runs and not dry_run:
            _give_back(journal.engine)
    return pruned


def _prune(connection: Connection, before: float) -> Pruned:
    ages = select(EVENTS.c.run, func.max(EVENTS.c.at)).group_by(EVENTS.c.run)
    last = {run: float(at) for run, at in connection.execute(ages)}
    starts = [(run, event) for run, event in read_events(connection, IS_START) if isinstance(event, RunStarted)]
    parents = {run: event.parent.run if event.parent else None for run, event in starts}
    young = {run for run, at in last.items() if at >= before}
    needed = set(_ancestors(young, parents)) - young
    old = tuple(sorted(set(last) - young - needed))
    for start in range(0, len(old), _AT_ONCE):
        runs = old[start : start + _AT_ONCE]
        for table in OF_RUN:
            connection.execute(delete(table).where(table.c.run.in_(runs)))
    used = or_(
        exists().where(EVENT_ARTIFACTS.c.hash == ARTIFACTS.c.hash), exists().where(BOARD.c.hash == ARTIFACTS.c.hash)
    )
    gone = connection.execute(delete(ARTIFACTS).where(ARTIFACTS.c.at < before, ~used)).rowcount
    return Pruned(old, gone, tuple(sorted(needed & set(last))))


def _ancestors(runs: Iterable[str], parents: dict[str, str | None]) -> Iterator[str]:
    for run in runs:
        seen = {run}
        parent = parents.get(run)
        while parent is not None and parent not in seen:
            yield parent
            seen.add(parent)
            parent = parents.get(parent)


def _give_back(engine: Engine) -> None:
    """SQLite keeps the room of what was deleted, unless it is told to give it back."""
    if engine.dialect.name == "sqlite":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM")
