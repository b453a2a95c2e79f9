"""The hand that writes the journal: one thread, which puts events into the database in the order in which they came.

What has queued up while a transaction was under way goes into the next one. Events that nobody waits for linger until
one comes that is waited for, for `LINGER_SECONDS` at most, so that a call costs one transaction and not five; a process that is
killed loses no more than these. The number of an event within its run is kept in memory after the first look: a run has one
writing process as a rule. Where another one has written to the run all the same, the database refuses the number, and it is
looked up anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event as Signal
from threading import Lock
from typing import TypeVar

from sqlalchemy import Connection, Engine, func, insert, select

from dynaflow import artifacts
from dynaflow.errors import JournalError
from dynaflow.events import Event
from dynaflow.journal_rows import Encoded, encode
from dynaflow.journal_tables import EVENT_ARTIFACTS, EVENTS, REDACTIONS, failures, locked
from dynaflow.redaction import Redactor

LINGER_SECONDS = 0.02
GATHER_SECONDS = 0.001
"""What comes so soon after an event that is waited for goes into the same transaction: replies often come together."""
SECONDS_A_ROW = 0.002
MOST_SPACING_SECONDS = 0.02
"""Least time between the beginnings of two transactions: so much for each event of the first one, and so much at most. Lone
events are written at once; under a storm the events share transactions, or these would cost more than the calls do."""
MOST_ROWS = 64
"""Events of one transaction at most."""
_TRIES = 50
"""How often a number is looked up anew, while others write to the same run, before the append fails."""

Done = Callable[[JournalError | None], None]
"""Is told, in the writing thread, that an event is committed, or why it is not."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Append:
    run: str
    event: Event
    done: Done


_Row = tuple[str, int, Event, Encoded]


class Writer:
    """Appends events to the journal, in a thread of its own."""

    def __init__(self, engine: Engine, place: str, redact: Redactor) -> None:
        self._engine = engine
        self._place = place
        self._redact = redact
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._lock = Lock()
        self._queue: list[_Append] = []
        self._urgent = Signal()
        self._next_begin = 0.0
        self._connection: Connection | None = None
        self._next: dict[str, int] = {}
        """Run -> number of its next event."""
        driver = engine.dialect.loaded_dbapi
        self._errors: type[Exception] = driver.Error
        self._taken: type[Exception] = driver.IntegrityError
        self._head, _, self._row_of_marks = str(insert(EVENTS).compile(dialect=engine.dialect)).partition(" VALUES ")

    def append(self, run: str, event: Event, done: Done, *, urgent: bool = True) -> None:
        """Write an event behind those that came before it. One that is not urgent may linger until an urgent one comes."""
        with self._lock:
            self._queue.append(_Append(run, event, done))
            first = len(self._queue) == 1
        if urgent:
            self._urgent.set()
        if first:
            self._thread.submit(self._write_queued)

    def do(self, what: str, work: Callable[[Connection], T]) -> Future[T]:
        """Do something else in a transaction, behind the events that came before it. `what` words the error."""
        self._urgent.set()
        return self._thread.submit(self._do, what, work)

    def seconds(self) -> float:
        """Processor seconds that the thread has used."""
        return self._thread.submit(time.thread_time).result()

    def close(self) -> None:
        """Finish what is being written."""
        self._urgent.set()
        self._thread.submit(self._let_go)
        self._thread.shutdown()

    # -- in the thread ----------------------------------------------------------------------------------------

    def _write_queued(self) -> None:
        """Write what is queued; what does not go together goes alone, so that only its own append fails."""
        self._urgent.wait(LINGER_SECONDS)
        time.sleep(max(self._next_begin - time.monotonic(), GATHER_SECONDS))
        with self._lock:
            queue, self._queue = self._queue, []
            self._urgent.clear()
        self._next_begin = time.monotonic() + min(SECONDS_A_ROW * len(queue), MOST_SPACING_SECONDS)
        for start in range(0, len(queue), MOST_ROWS):
            batch = queue[start : start + MOST_ROWS]
            error = self._write(batch)
            for each in batch:
                each.done(error if error is None or len(batch) == 1 else self._write([each]))

    def _write(self, batch: Sequence[_Append]) -> JournalError | None:
        """Write events; gives why it failed. Numbers that others have taken are looked up anew."""
        cannot = f"cannot write to run {batch[0].run!r} in the journal {self._place!r}"
        for _ in range(_TRIES):
            try:
                with failures(cannot, also=(self._errors,)):
                    self._insert_all(batch)
            except JournalError as error:
                self._let_go()  # the next one comes with a new connection, should this one be broken
                for each in batch:
                    self._next.pop(each.run, None)
                taken = isinstance(error.__cause__, self._taken)
                if taken and batch[0].event.type == "RunStarted":
                    return JournalError(f"run {batch[0].run!r} is in the journal already: take a new run id")
                if not taken or len(batch) > 1:
                    return error
            except Exception as error:  # noqa: BLE001 - whoever waits for the event must hear of it
                return JournalError(f"{cannot}: {error}")
            else:
                return None
        return JournalError(f"{cannot}: too many others write to it at the same time")

    def _insert_all(self, batch: Sequence[_Append]) -> None:
        encoded = encode([each.event for each in batch], self._redact)
        rows = [(*self._numbered(each), each.event, body) for each, body in zip(batch, encoded, strict=True)]
        if any(encoded.large or encoded.redacted for _, _, _, encoded in rows):
            with locked(self._engine) as connection:
                self._insert(connection, rows)
                _insert_more(connection, rows)
        else:
            self._insert(self._open(), rows)

    def _insert(self, connection: Connection, rows: Sequence[_Row]) -> None:
        """One statement for all rows, and past SQLAlchemy's own machinery: this is the one place where it would be felt."""
        statement = f"{self._head} VALUES {', '.join([self._row_of_marks] * len(rows))}"
        values = [(run, seq, event.type, event.at, encoded.body) for run, seq, event, encoded in rows]
        cursor = connection.connection.cursor()
        cursor.execute(statement, tuple(value for row in values for value in row))
        cursor.close()

    def _numbered(self, append: _Append) -> tuple[str, int]:
        """The run, and the number of the event in it."""
        run = append.run
        seq = 1 if append.event.type == "RunStarted" else self._next.get(run) or _last(self._open(), run) + 1
        self._next[run] = seq + 1
        return run, seq

    def _do(self, what: str, work: Callable[[Connection], T]) -> T:
        with failures(f"cannot {what} in the journal {self._place!r}"), locked(self._engine) as connection:
            return work(connection)

    def _open(self) -> Connection:
        if self._connection is None:
            self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        return self._connection

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _last(connection: Connection, run: str) -> int:
    return connection.scalar(select(func.coalesce(func.max(EVENTS.c.seq), 0)).where(EVENTS.c.run == run)) or 0


def _insert_more(connection: Connection, rows: Sequence[_Row]) -> None:
    """What an event has beside its row: its large values, and the count of what was redacted."""
    uses = [
        {"run": run, "seq": seq, "field": name, "hash": artifacts.put(connection, text)}
        for run, seq, _, encoded in rows
        for name, text in encoded.large.items()
    ]
    counts = [{"run": run, "seq": seq, "count": encoded.redacted} for run, seq, _, encoded in rows if encoded.redacted]
    for table, more in ((EVENT_ARTIFACTS, uses), (REDACTIONS, counts)):
        if more:
            connection.execute(insert(table), more)
