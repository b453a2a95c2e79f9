"""The journal's database: its tables, their numbered versions, and how it is opened.

`MIGRATIONS` holds one step per version; those that a journal lacks are applied when it is opened, under a
lock, since others may open it at the same moment. A journal of a higher version is refused.

The events are the record itself. A large value of an event lies in `artifacts`, once for all that have it, under the
hash of its JSON text; `event_artifacts` says which field of which event it belongs to. `redactions` counts what was
taken out of an event.
"""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    func,
    insert,
    make_url,
    select,
    text,
)
from sqlalchemy import event as engine_event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateIndex, CreateTable, DropIndex

from dynaflow.errors import JournalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BUSY_SECONDS = 30.0
"""How long a writer waits for the lock of another process."""
_UPGRADE = 0x64796E61
"""Number of PostgreSQL's lock that whoever upgrades a journal holds."""
_WAY_OUT = "name another one with --journal or DYNAFLOW_JOURNAL"


_TABLES = MetaData()
_SCHEMA = Table(
    "journal_schema",
    _TABLES,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("applied_at", Float, nullable=False),
)
EVENTS = Table(
    "events",
    _TABLES,
    Column("run", String(64), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("type", String(32), nullable=False),
    Column("at", Float, nullable=False),
    Column("body", Text, nullable=False),
)
_BY_TYPE = Index("events_by_type", EVENTS.c.type, EVENTS.c.at)
IS_START = text("type = 'RunStarted'")
"""The condition of the index of runs by their start, to be used in the very same words."""
IS_END = text("type = 'RunFinished'")
_BY_START = Index("runs_by_start", EVENTS.c.at, EVENTS.c.run, sqlite_where=IS_START, postgresql_where=IS_START)
_BY_END = Index("runs_by_end", EVENTS.c.run, sqlite_where=IS_END, postgresql_where=IS_END)

ARTIFACTS = Table(
    "artifacts",
    _TABLES,
    Column("hash", String(64), primary_key=True),
    Column("at", Float, nullable=False),
    Column("body", Text, nullable=False),
)
"""`at` is when it was last put."""
EVENT_ARTIFACTS = Table(
    "event_artifacts",
    _TABLES,
    Column("run", String(64), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("field", String(32), primary_key=True),
    Column("hash", String(64), nullable=False),
)
_BY_HASH = Index("event_artifacts_by_hash", EVENT_ARTIFACTS.c.hash)
BOARD = Table(
    "board",
    _TABLES,
    Column("run", String(64), primary_key=True),
    Column("key", String(64), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("hash", String(64), nullable=False),
)
"""`name` is the artifact's id as JSON, `key` the hash of that."""
_BOARD_BY_HASH = Index("board_by_hash", BOARD.c.hash)
REDACTIONS = Table(
    "redactions",
    _TABLES,
    Column("run", String(64), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("count", Integer, nullable=False),
)
REPLIES = Table(
    "replies",
    _TABLES,
    Column("key", String(64), primary_key=True),
    Column("run", String(64), nullable=False),
    Column("turn", Integer, nullable=False),
    Column("call", Integer, nullable=False),
)
"""Where the reply to what `key` is the hash of lies."""
OF_RUN = (EVENTS, EVENT_ARTIFACTS, BOARD, REDACTIONS, REPLIES)
"""The tables whose rows belong to one run each."""


def _first_tables(connection: Connection) -> None:
    connection.execute(CreateTable(EVENTS))
    connection.execute(CreateIndex(_BY_TYPE))


def _artifacts_and_board(connection: Connection) -> None:
    """Also leave most events out of the indexes: to keep those of every event cost more than it brought."""
    for table in (ARTIFACTS, EVENT_ARTIFACTS, BOARD, REDACTIONS):
        connection.execute(CreateTable(table))
    connection.execute(DropIndex(_BY_TYPE))
    for index in (_BY_START, _BY_END, _BY_HASH, _BOARD_BY_HASH):
        connection.execute(CreateIndex(index))


def _replies(connection: Connection) -> None:
    connection.execute(CreateTable(REPLIES))


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (_first_tables, _artifacts_and_board, _replies)
"""Step n brings a journal from version n - 1 to n. Steps are added, never changed."""


def open_database(where: str) -> Engine:
    """Open the database at a file or an SQLAlchemy URL, and create or upgrade its tables where needed.

    Raises `JournalError` if it cannot be opened, or was written by a newer version.
    """
    name = without_password(where)
    with failures(f"cannot open the journal {name!r}", _WAY_OUT):
        engine = _engine(where)
        try:
            _upgrade(engine, name)
        except BaseException:
            engine.dispose()
            raise
    return engine


@contextmanager
def locked(engine: Engine) -> Iterator[Connection]:
    """A transaction that reads and then writes; on SQLite it has the lock from the start, since it could not take it later."""
    with engine.connect() as connection, connection.execution_options(lock=True).begin():
        yield connection


@contextmanager
def failures(what: str, way_out: str = "", also: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Turn whatever the database, its driver (`also`) or the file system raise into a `JournalError`."""
    expected: tuple[type[Exception], ...] = (SQLAlchemyError, ImportError, OSError, *also)
    try:
        yield
    except expected as error:
        hint = f"; {way_out}" if way_out else ""
        cause = getattr(error, "orig", None) or error
        raise JournalError(f"{what}: {str(cause).partition(chr(10))[0]}{hint}") from error


def without_password(where: str) -> str:
    """A file or URL as it may be shown."""
    return re.sub(r"://[^@/]*@", "://***@", where)


def _upgrade(engine: Engine, where: str) -> None:
    """Bring the tables to the newest version; the version is read again under the lock, others may upgrade too."""
    if _version(engine) == len(MIGRATIONS):
        return
    with locked(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(_UPGRADE)))
        connection.execute(CreateTable(_SCHEMA, if_not_exists=True))
        version = connection.scalar(select(func.max(_SCHEMA.c.version))) or 0
        if version > len(MIGRATIONS):
            raise JournalError(
                f"the journal {where!r} has version {version}, this program knows versions up to "
                f"{len(MIGRATIONS)}: update DynaFlow, or {_WAY_OUT}"
            )
        for number, step in enumerate(MIGRATIONS[version:], version + 1):
            step(connection)
            connection.execute(insert(_SCHEMA).values(version=number, applied_at=time.time()))


def _version(engine: Engine) -> int:
    with engine.connect() as connection:
        if not engine.dialect.has_table(connection, _SCHEMA.name):
            return 0
        return connection.scalar(select(func.max(_SCHEMA.c.version))) or 0


def _engine(where: str) -> Engine:
    """An engine for a file or a URL. On SQLite, transactions are begun by us: sqlite3 begins them too late."""
    where = re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", where)
    url = make_url(where if "://" in where else f"sqlite:///{Path(where).expanduser()}")
    if url.get_backend_name() == "postgresql":
        return create_engine(url, paramstyle="format", pool_pre_ping=True)
    if url.get_backend_name() == "sqlite" and url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url)
    if engine.dialect.name == "sqlite":
        engine_event.listen(engine, "connect", _prepare)
        engine_event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000:.0f}")
    _use_wal(connection)
    connection.execute("PRAGMA synchronous=NORMAL")


def _use_wal(connection: sqlite3.Connection) -> None:
    """Unlike a transaction, the first switch to WAL does not wait by itself while another process makes it."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    locked = options.get("lock")
    if options.get("isolation_level") != "AUTOCOMMIT":
        connection.exec_driver_sql("BEGIN IMMEDIATE" if locked else "BEGIN")
