"""An event as the journal keeps it, and back: JSON text without secrets, its large fields in texts of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError
from sqlalchemy import ColumnElement, Connection, TextClause, select

from dynaflow.artifacts import text_of
from dynaflow.events import EVENT, Event
from dynaflow.journal_tables import ARTIFACTS, EVENT_ARTIFACTS, EVENTS
from dynaflow.redaction import Redactor

LARGE = 8192
"""Characters of JSON from which on a field of an event lies in a text of its own."""


class Encoded(NamedTuple):
    """An event as it is written: its JSON, the JSON of each large field, which is null there, and what was redacted."""

    body: str
    large: Mapping[str, str]
    redacted: int


def encode(events: Sequence[Event], redact: Redactor) -> list[Encoded]:
    """What is to be written of some events. They are looked through together, since secrets are rare."""
    texts = [_json(event) for event in events]
    suspect = redact.suspects("\n".join(texts))
    return [_parted(*redact(text)) if suspect else _parted(text, 0) for text in texts]


def _json(event: Event) -> str:
    try:
        return event.__pydantic_serializer__.to_json(event).decode()
    except PydanticSerializationError:  # half a surrogate pair
        return json.dumps(event.model_dump())


def _parted(body: str, redacted: int) -> Encoded:
    if len(body) <= LARGE:
        return Encoded(body, {}, redacted)
    fields = {name: text_of(value) for name, value in json.loads(body).items()}
    large = {name: value for name, value in fields.items() if len(value) > LARGE}
    rest = ",".join(f'"{name}":{"null" if name in large else value}' for name, value in fields.items())
    return Encoded(f"{{{rest}}}", large, redacted)


def decode(body: str, large: Mapping[str, str]) -> Event:
    """The event that was written so."""
    if not large:
        try:
            return EVENT.validate_json(body)
        except ValidationError:  # half a surrogate pair again: Python's own reader takes it
            return EVENT.validate_python(json.loads(body))
    return EVENT.validate_python(json.loads(body) | {name: json.loads(text) for name, text in large.items()})


def read_events(
    connection: Connection, *which: ColumnElement[bool] | TextClause, last_first: bool = False, limit: int | None = None
) -> Sequence[tuple[str, Event]]:
    """The events that meet some conditions, each with its run, by run and number, or the latest first."""
    order = (EVENTS.c.at.desc(), EVENTS.c.run.desc()) if last_first else (EVENTS.c.run, EVENTS.c.seq)
    query = select(EVENTS.c.run, EVENTS.c.seq, EVENTS.c.body).where(*which).order_by(*order).limit(limit)
    rows = connection.execute(query).all()
    large = _large(connection, sorted({run for run, _, _ in rows}))
    return [(run, decode(body, large.get((run, seq), {}))) for run, seq, body in rows]


def _large(connection: Connection, runs: Sequence[str]) -> dict[tuple[str, int], dict[str, str]]:
    uses = EVENT_ARTIFACTS.c
    query = select(uses.run, uses.seq, uses.field, ARTIFACTS.c.body).where(uses.run.in_(runs))
    found: dict[tuple[str, int], dict[str, str]] = {}
    for run, seq, name, text in connection.execute(query.where(uses.hash == ARTIFACTS.c.hash)):
        found.setdefault((run, seq), {})[name] = text
    return found
