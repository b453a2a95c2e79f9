"""Values of any size, stored once under the hash of their JSON text, and the board of a run that points at them.

What is here works inside a transaction of the caller's.
"""

from __future__ import annotations

import hashlib
import json
import time
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticSerializationError, to_json
from sqlalchemy import Connection, Table, func, insert, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError

from dynaflow.errors import JournalError, VersionConflict
from dynaflow.journal_tables import ARTIFACTS, BOARD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

_TRIES = 100


def text_of(value: JsonValue) -> str:
    """A value as JSON; half a surrogate pair, which no database takes, stays an escape, as NUL does."""
    try:
        return to_json(value, inf_nan_mode="constants").decode()
    except PydanticSerializationError:
        return json.dumps(value, separators=(",", ":"))


def hash_of(text: str) -> str:
    """The name of an artifact: sha256 of its JSON text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def put(connection: Connection, text: str) -> str:
    """Store a JSON text if it is not there, and give its hash."""
    name, now = hash_of(text), time.time()
    # One that is there gets the new time, so that nobody who prunes at this moment takes it for forgotten.
    row = _insert(connection, ARTIFACTS).values(hash=name, at=now, body=text)
    connection.execute(row.on_conflict_do_update(index_elements=["hash"], set_={"at": now}))
    return name


def put_once(connection: Connection, table: Table, row: Mapping[str, object]) -> None:
    """Add a row, unless one of its key is there."""
    connection.execute(_insert(connection, table).values(row).on_conflict_do_nothing())


def get(connection: Connection, name: str) -> JsonValue:
    """The value under a hash."""
    text = connection.scalar(select(ARTIFACTS.c.body).where(ARTIFACTS.c.hash == name))
    if text is None:
        raise JournalError(f"no artifact {name!r} in the journal: it may have been pruned")
    value: JsonValue = json.loads(text)
    return value


def share(connection: Connection, run: str, artifact: str, text: str, expected: int | None) -> int:
    """Put a JSON text on the board of a run and give its version. Raises `VersionConflict`."""
    here = _place(run, artifact)
    name = put(connection, text)
    for _ in range(_TRIES):
        newest = _newest(connection, here)
        if expected is not None and newest != expected:
            raise VersionConflict(artifact, expected, newest)
        try:
            with connection.begin_nested():
                row = {**here, "version": newest + 1, "name": json.dumps(artifact), "hash": name}
                connection.execute(insert(BOARD).values(row))
        except IntegrityError:
            continue  # another process has won this version
        return newest + 1
    raise JournalError(f"cannot share artifact {artifact!r}: too many others share it at the same time")


def recall(connection: Connection, run: str, artifact: str, version: int | None) -> tuple[int, JsonValue]:
    """A version of an artifact and its value. Raises KeyError naming what there is."""
    here = _place(run, artifact)
    newest = _newest(connection, here)
    if not newest:
        there = ", ".join(map(repr, _names(connection, run))) or "nothing"
        raise KeyError(f"no artifact {artifact!r} is shared; there is {there}")
    wanted = newest if version is None else version
    query = select(BOARD.c.hash).filter_by(**here, version=wanted)
    name = connection.scalar(query)
    if name is None:
        raise KeyError(f"artifact {artifact!r} has no version {version}; the newest is {newest}")
    return wanted, get(connection, name)


def _insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def _place(run: str, artifact: str) -> dict[str, Any]:
    return {"run": run, "key": hash_of(json.dumps(artifact))}


def _newest(connection: Connection, here: dict[str, Any]) -> int:
    return connection.scalar(select(func.coalesce(func.max(BOARD.c.version), 0)).filter_by(**here)) or 0


def _names(connection: Connection, run: str) -> list[str]:
    names = connection.scalars(
        select(BOARD.c.name).where(BOARD.c.run == run, BOARD.c.version == 1).order_by(BOARD.c.name)
    )
    return [json.loads(name) for name in names]
