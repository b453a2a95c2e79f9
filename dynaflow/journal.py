"""The journal: the append-only record of every run, written through as it happens.

One table holds the events, one row each, numbered from 1 within their run; nothing is ever changed or
deleted. An append returns when its event is committed, so a process that is killed leaves all that it had appended.
SQLite in WAL mode is the default, and several processes may append at once: a writer waits for the others' locks.
An append that has begun is written even if its caller is cancelled.

`journal_tables` has the tables and opens the database, `journal_writer` writes.
"""

from __future__ import annotations

import asyncio
import secrets
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

import anyio
from pydantic import BaseModel, ConfigDict
from sqlalchemy import Connection, Engine, func, select

from dynaflow.errors import JournalError
from dynaflow.events import EVENT, Event, Mode, RunFinished, RunStarted, Status, TextStreamed
from dynaflow.journal_tables import EVENTS, failures, open_database, without_password
from dynaflow.journal_writer import Done, Writer
from dynaflow.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class RunSummary(BaseModel):
    """A run in one row. `status` is None for a run that still goes on, or was cut off."""

    model_config = ConfigDict(frozen=True)

    run: str
    started: float
    """Unix seconds."""
    question: str
    mode: Mode
    model: str
    status: Status | None
    answer: str | None
    calls: int


def new_run_id() -> str:
    """A run id that sorts by time, e.g. `20261201-142233-1f0ab2` (UTC)."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


class Journal:
    """The record of all runs. Open it with `Journal.open`; it may be used in a `with` block."""

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine = engine
        self.place = place
        """Its file or URL, as it may be shown."""
        self._writer = Writer(engine, place)

    @classmethod
    def open(cls, url_or_path: str | Path | None = None) -> Journal:
        """Open a journal, creating or upgrading it where needed.

        url_or_path: a file, or an SQLAlchemy URL; None is DYNAFLOW_JOURNAL, else a file in the user's data folder.
        Raises `JournalError` if it cannot be opened, or was written by a newer version.
        """
        where = str(url_or_path if url_or_path is not None else Settings().journal)
        return cls(open_database(where), without_password(where))

    async def append(self, run: str, event: Event) -> None:
        """Write one event at the end of a run; it is in the journal when this returns.

        Raises `JournalError` if it could not be written, for a `TextStreamed`, which is only shown, and for
        a `RunStarted` of a run that is there already.
        """
        written: Future[None] = Future()
        written.set_running_or_notify_cancel()  # from here on nobody can take it back

        def done(error: JournalError | None) -> None:
            written.set_result(None) if error is None else written.set_exception(error)

        self.enqueue(run, event, done)
        with anyio.CancelScope(shield=True):
            await asyncio.wrap_future(written)

    def enqueue(self, run: str, event: Event, done: Done, *, urgent: bool = True) -> None:
        """Begin to append an event, behind those that were begun before it.

        done: told, in another thread, that the event is committed, or why it is not.
        urgent: False for an event that nobody waits for; it may linger some milliseconds for others to go with.
        """
        if isinstance(event, TextStreamed):
            raise JournalError("a TextStreamed event is shown while it happens and never journalled")
        self._writer.append(run, event, done, urgent=urgent)

    def writer_seconds(self) -> float:
        """Processor seconds that writing has used so far, in its own thread."""
        return self._writer.seconds()

    def events(self, run: str) -> list[Event]:
        """All events of a run, in the order in which they were appended; `find` gives its full id."""
        query = select(EVENTS.c.body).where(EVENTS.c.run == run).order_by(EVENTS.c.seq)
        with failures(f"cannot read run {run!r}"), self._engine.connect() as connection:
            bodies = connection.scalars(query).all()
        if not bodies:
            raise JournalError(_no_such_run(run))
        return [EVENT.validate_json(body) for body in bodies]

    def runs(self, limit: int = 20) -> list[RunSummary]:
        """The latest runs, newest first."""
        with failures("cannot read the runs"), self._engine.connect() as connection:
            query = select(EVENTS.c.run, EVENTS.c.body).where(EVENTS.c.type == "RunStarted")
            started = connection.execute(query.order_by(EVENTS.c.at.desc(), EVENTS.c.run.desc()).limit(limit)).all()
            runs = [run for run, _ in started]
            finished, calls = _finished(connection, runs), _calls(connection, runs)
        return [
            _summary(run, RunStarted.model_validate_json(body), finished.get(run), calls.get(run, 0))
            for run, body in started
        ]

    def find(self, run: str) -> str:
        """The full id of a run, given by id, by a beginning that only it has, or as `last`.

        Raises `JournalError` if there is none, or more than one.
        """
        query = select(EVENTS.c.run).where(EVENTS.c.type == "RunStarted").order_by(EVENTS.c.at.desc())
        query = query.limit(1) if run == "last" else query.where(EVENTS.c.run.startswith(run, autoescape=True))
        with failures(f"cannot look for run {run!r}"), self._engine.connect() as connection:
            found = connection.scalars(query).all()
        if run == "last" and not found:
            raise JournalError("the journal holds no run yet: `dynaflow solve QUESTION` makes one")
        return found[0] if run == "last" else _only(run, found)

    def close(self) -> None:
        """Finish what is being written, and let go of the database."""
        self._writer.close()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _finished(connection: Connection, runs: Sequence[str]) -> dict[str, RunFinished]:
    query = select(EVENTS.c.run, EVENTS.c.body).where(EVENTS.c.type == "RunFinished", EVENTS.c.run.in_(runs))
    rows = connection.execute(query.order_by(EVENTS.c.run, EVENTS.c.seq)).all()
    return {run: RunFinished.model_validate_json(body) for run, body in rows}


def _calls(connection: Connection, runs: Sequence[str]) -> dict[str, int]:
    query = select(EVENTS.c.run, func.count().label("calls")).where(
        EVENTS.c.type == "CallStarted", EVENTS.c.run.in_(runs)
    )
    return {row.run: row.calls for row in connection.execute(query.group_by(EVENTS.c.run))}


def _summary(run: str, started: RunStarted, finished: RunFinished | None, calls: int) -> RunSummary:
    return RunSummary(
        run=run,
        started=started.at,
        question=started.task.question,
        mode=started.mode,
        model=started.model,
        status=finished.status if finished else None,
        answer=finished.answer if finished else None,
        calls=finished.calls if finished else calls,
    )


def _only(run: str, found: Sequence[str]) -> str:
    matches = [each for each in found if each.startswith(run)]
    if run in matches:
        return run
    if not matches:
        raise JournalError(_no_such_run(run))
    if len(matches) > 1:
        some = ", ".join(sorted(matches)[:5]) + (", …" if len(matches) > 5 else "")
        raise JournalError(f"{run!r} is the beginning of {len(matches)} runs ({some}): give more of the run id")
    return matches[0]


def _no_such_run(run: str) -> str:
    return f"no run {run!r} in the journal: `dynaflow runs` lists them, `last` names the newest"
