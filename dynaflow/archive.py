"""Runs as a file, out of one journal and into another: JSON lines, compressed if the name ends in `.gz`.

The first line names the form and its version, the last counts the lines between; those are rows of the tables, word for
word, the artifacts before what points at them. So a file that was cut off is refused, and what comes in is what went out.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO, cast

from pydantic import JsonValue
from sqlalchemy import Connection, Table, insert, or_, select

from dynaflow import artifacts
from dynaflow.errors import JournalError
from dynaflow.journal import Journal
from dynaflow.journal_tables import ARTIFACTS, BOARD, EVENT_ARTIFACTS, EVENTS, OF_RUN, failures, locked

VERSION = 1
_FORM = "dynaflow_runs"
_TABLES = {table.name: table for table in (ARTIFACTS, *OF_RUN)}
Row = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Imported:
    """The runs that came in, and those that were there already and were left as they are."""

    added: tuple[str, ...]
    skipped: tuple[str, ...]


def export_runs(journal: Journal, runs: Sequence[str], file: Path) -> None:
    """Write runs, by their full ids, to a file. Raises `JournalError`."""
    with (
        failures(f"cannot export to {str(file)!r}"),
        journal.engine.connect() as connection,
        _writing(file) as out,
    ):
        lines = 0
        _write(out, {_FORM: VERSION})
        for name, row in _rows(connection, runs):
            _write(out, {"table": name, "row": row})
            lines += 1
        _write(out, {"end": lines})


def import_runs(journal: Journal, file: Path) -> Imported:
    """Read the runs of a file into the journal, all or none; runs that are there already are skipped.

    Raises `JournalError` for a file that is none of ours, is cut off, or was changed.
    """
    with failures(f"cannot import {str(file)!r}", also=(ValueError, EOFError, zlib.error)), _reading(file) as source:
        _check_head(source, file)
        with locked(journal.engine) as connection:
            there = set(connection.scalars(select(EVENTS.c.run).where(EVENTS.c.seq == 1)))
            found: dict[str, None] = {}
            for table, row in _parsed(source, file):
                if table is ARTIFACTS:
                    _put(connection, row, file)
                    continue
                run = str(row["run"])
                found[run] = None
                if run not in there:
                    connection.execute(insert(table).values(row))
    return Imported(tuple(run for run in found if run not in there), tuple(run for run in found if run in there))


def _rows(connection: Connection, runs: Sequence[str]) -> Iterator[tuple[str, Row]]:
    uses = [select(table.c.hash).where(table.c.run.in_(runs)) for table in (EVENT_ARTIFACTS, BOARD)]
    held = select(ARTIFACTS).where(or_(*(ARTIFACTS.c.hash.in_(query) for query in uses))).order_by(ARTIFACTS.c.hash)
    for row in connection.execution_options(yield_per=100).execute(held).mappings():
        yield ARTIFACTS.name, dict(row)
    for run in runs:
        for table in OF_RUN:
            query = select(table).where(table.c.run == run).order_by(*table.primary_key)
            for row in connection.execution_options(yield_per=100).execute(query).mappings():
                yield table.name, dict(row)


def _put(connection: Connection, row: Row, file: Path) -> None:
    if artifacts.put(connection, str(row["body"])) != row["hash"]:
        raise JournalError(f"artifact {row['hash']!r} in {str(file)!r} was changed: export the runs again")


def _check_head(source: TextIO, file: Path) -> None:
    head = source.readline()
    version = _object(head).get(_FORM) if head.startswith(f'{{"{_FORM}"') else None
    if not isinstance(version, int):
        raise JournalError(
            f"{str(file)!r} holds no exported runs: `dynaflow runs export RUN --out FILE` makes such a file"
        )
    if version > VERSION:
        raise JournalError(f"{str(file)!r} has version {version}, this program knows {VERSION}: update DynaFlow")


def _parsed(source: TextIO, file: Path) -> Iterator[tuple[Table, Row]]:
    lines = 0
    for line in source:
        entry = _object(line)
        if "end" in entry:
            if entry["end"] == lines:
                return
            break
        lines += 1
        table, row = _TABLES.get(str(entry.get("table"))), entry.get("row")
        if table is None or not isinstance(row, dict) or set(row) != set(table.c.keys()):
            raise JournalError(f"line {lines + 1} of {str(file)!r} is no row of a journal: export the runs again")
        yield table, row
    raise JournalError(f"{str(file)!r} is cut off after {lines} rows: export the runs again")


def _object(line: str) -> Row:
    found = json.loads(line)
    if not isinstance(found, dict):
        raise ValueError(f"{line[:40]!r} is no JSON object")
    return found


def _write(out: TextIO, entry: Row) -> None:
    out.write(json.dumps(entry, separators=(",", ":")) + "\n")


def _writing(file: Path) -> TextIO:
    if file.suffix != ".gz":
        return file.open("w", encoding="utf-8")
    return TextIOWrapper(gzip.GzipFile(file, "wb", mtime=0), encoding="utf-8")


def _reading(file: Path) -> TextIO:
    if file.suffix == ".gz":
        return cast("TextIO", gzip.open(file, "rt", encoding="utf-8"))
    return file.open(encoding="utf-8")
