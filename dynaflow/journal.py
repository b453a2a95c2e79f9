"""The journal: the append-only record of every run, written through as it happens.

One table holds the events, one row each, numbered from 1 within their run; nothing is ever changed or
deleted. An append returns when its event is committed, so a process that is killed leaves all that it had appended.
SQLite in WAL mode is the default, and several processes may append at once: a writer waits for the others' locks.
An append that has begun is written even if its caller is cancelled.

`journal_tables` has the tables and opens the database, `journal_writer` writes, `journal_rows` turns events into rows and back,
`redaction` keeps secrets out, `artifacts` holds large values and the boards, `archive` and `pruning` take runs out and in.
"""

from __future__ import annotations

import asyncio
import secrets
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self, TypeVar

import anyio
from pydantic import BaseModel, ConfigDict
from sqlalchemy import Connection, Engine, func, select

from dynaflow import artifacts
from dynaflow.errors import JournalError
from dynaflow.events import CallFinished, Event, Mode, RunFinished, RunStarted, Status, TextStreamed
from dynaflow.journal_rows import read_events
from dynaflow.journal_tables import (
    EVENTS,
    IS_END,
    IS_START,
    REDACTIONS,
    REPLIES,
    failures,
    open_database,
    without_password,
)
from dynaflow.journal_writer import Done, Writer
from dynaflow.redaction import Redactor, redactor_of
from dynaflow.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pydantic import JsonValue

T = TypeVar("T")


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
    redacted: int
    """How many secrets were taken out of its events before they were written."""


def new_run_id() -> str:
    """A run id that sorts by time, e.g. `20261201-142233-1f0ab2` (UTC)."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


class Journal:
    """The record of all runs. Open it with `Journal.open`; it may be used in a `with` block."""

    def __init__(self, engine: Engine, place: str, redact: Redactor) -> None:
        self.engine = engine
        self._redact = redact
        self.place = place
        """Its file or URL, as it may be shown."""
        self._writer = Writer(engine, place, redact)

    @classmethod
    def open(cls, url_or_path: str | Path | None = None) -> Journal:
        """Open a journal, creating or upgrading it where needed.

        url_or_path: a file, or an SQLAlchemy URL; None is DYNAFLOW_JOURNAL, else a file in the user's data folder.
        Raises `JournalError` if it cannot be opened, or was written by a newer version, and `SettingError` if the
        redaction rules of DYNAFLOW_REDACT cannot be read.
        """
        settings = Settings()
        where = str(url_or_path if url_or_path is not None else settings.journal)
        redact = redactor_of(settings.redact, where)
        return cls(open_database(where), without_password(where), redact)

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

    async def put(self, value: JsonValue) -> str:
        """Store a value of any size, once however often it is put, and give the hash by which `get` finds it.

        What no event and no board points at goes with the first `prune` after its age.
        """
        text, _ = self._redact(artifacts.text_of(value))
        return await self._do("put an artifact", lambda connection: artifacts.put(connection, text))

    def get(self, name: str) -> JsonValue:
        """The value that was put under a hash. Raises `JournalError` if there is none."""
        with self.engine.connect() as connection:
            return artifacts.get(connection, name)

    async def share(self, run: str, artifact: str, value: JsonValue, expected: int | None = None) -> int:
        """Put a value on the board of a run; see `Board.share`."""
        text, _ = self._redact(artifacts.text_of(value))
        return await self._do(
            f"share {artifact!r}", lambda connection: artifacts.share(connection, run, artifact, text, expected)
        )

    async def recall(self, run: str, artifact: str, version: int | None = None) -> tuple[int, JsonValue]:
        """A version on the board of a run and its value; see `Board.recall`."""
        return await self._do(
            f"recall {artifact!r}", lambda connection: artifacts.recall(connection, run, artifact, version)
        )

    async def reply_place(self, key: str) -> tuple[str, int, int] | None:
        """Run, turn and call of the reply that was kept under a key."""
        query = select(REPLIES.c.run, REPLIES.c.turn, REPLIES.c.call).where(REPLIES.c.key == key)
        found = await self._do("look for a reply", lambda connection: connection.execute(query).first())
        return None if found is None else (found.run, found.turn, found.call)

    async def keep_reply(self, key: str, run: str, turn: int, call: int) -> None:
        """Remember where the reply to a key lies; the first one stays."""
        row = {"key": key, "run": run, "turn": turn, "call": call}
        await self._do("keep a reply", lambda connection: artifacts.put_once(connection, REPLIES, row))

    def replies(self, run: str) -> list[CallFinished]:
        """The ends of all calls of a run."""
        with failures(f"cannot read run {run!r}"), self.engine.connect() as connection:
            found = read_events(connection, EVENTS.c.run == run, EVENTS.c.type == "CallFinished")
        return [event for _, event in found if isinstance(event, CallFinished)]

    async def _do(self, what: str, work: Callable[[Connection], T]) -> T:
        done = asyncio.wrap_future(self._writer.do(what, work))
        with anyio.CancelScope(shield=True):
            await done
        return done.result()

    def writer_seconds(self) -> float:
        """Processor seconds that writing has used so far, in its own thread."""
        return self._writer.seconds()

    def events(self, run: str) -> list[Event]:
        """All events of a run, in the order in which they happened; `find` gives its full id.

        Those of a run that goes on from another one begin with what it keeps of that one.
        """
        own = self.own_events(run)
        parent = own[0].parent if isinstance(own[0], RunStarted) else None
        return own if parent is None else [own[0], *self.events(parent.run)[1 : parent.kept], *own[1:]]

    def own_events(self, run: str) -> list[Event]:
        """The events that were appended to a run itself."""
        with failures(f"cannot read run {run!r}"), self.engine.connect() as connection:
            found = read_events(connection, EVENTS.c.run == run)
        if not found:
            raise JournalError(_no_such_run(run))
        return [event for _, event in found]

    def runs(self, limit: int = 20) -> list[RunSummary]:
        """The latest runs, newest first."""
        with failures("cannot read the runs"), self.engine.connect() as connection:
            started = read_events(connection, IS_START, last_first=True, limit=limit)
            runs = [run for run, _ in started]
            finished = dict(read_events(connection, IS_END, EVENTS.c.run.in_(runs)))
            calls = _calls(connection, [run for run in runs if run not in finished])
            redacted = _redacted(connection, runs)
        return [
            _summary(run, event, finished.get(run), calls.get(run, 0), redacted.get(run, 0)) for run, event in started
        ]

    def find(self, run: str) -> str:
        """The full id of a run, given by id, by a beginning that only it has, or as `last`.

        Raises `JournalError` if there is none, or more than one.
        """
        query = select(EVENTS.c.run).where(IS_START).order_by(EVENTS.c.at.desc())
        query = query.limit(1) if run == "last" else query.where(EVENTS.c.run.startswith(run, autoescape=True))
        with failures(f"cannot look for run {run!r}"), self.engine.connect() as connection:
            found = connection.scalars(query).all()
        if run == "last" and not found:
            raise JournalError("the journal holds no run yet: `dynaflow solve QUESTION` makes one")
        return found[0] if run == "last" else _only(run, found)

    def close(self) -> None:
        """Finish what is being written, and let go of the database."""
        self._writer.close()
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _calls(connection: Connection, runs: Sequence[str]) -> dict[str, int]:
    query = select(EVENTS.c.run, func.count().label("calls")).where(
        EVENTS.c.type == "CallStarted", EVENTS.c.run.in_(runs)
    )
    return {row.run: row.calls for row in connection.execute(query.group_by(EVENTS.c.run))}


def _redacted(connection: Connection, runs: Sequence[str]) -> dict[str, int]:
    query = select(REDACTIONS.c.run, func.sum(REDACTIONS.c.count)).where(REDACTIONS.c.run.in_(runs))
    rows = connection.execute(query.group_by(REDACTIONS.c.run)).all()
    return {run: int(count) for run, count in rows}


def _summary(run: str, started: Event, finished: Event | None, calls: int, redacted: int) -> RunSummary:
    assert isinstance(started, RunStarted)
    end = finished if isinstance(finished, RunFinished) else None
    return RunSummary(
        run=run,
        started=started.at,
        question=started.task.question,
        mode=started.mode,
        model=started.model,
        status=end.status if end else None,
        answer=end.answer if end else None,
        calls=end.calls if end else calls,
        redacted=redacted,
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
