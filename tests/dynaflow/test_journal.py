"""The journal on SQLite and on PostgreSQL: order, several processes, death of a process, versions, look-ups."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path

import anyio
import pytest

from dynaflow import journal_tables
from dynaflow.errors import JournalError
from dynaflow.events import EVENT, CallFinished, Event, RunStarted, TextStreamed
from dynaflow.journal import Journal, new_run_id

pytestmark = pytest.mark.anyio

EVENTS = [EVENT.validate_json(line) for line in (Path(__file__).parent / "pens.jsonl").read_bytes().splitlines()]
START = EVENTS[0]


def start(run: str, at: float = 1.0) -> Event:
    assert isinstance(START, RunStarted)
    return START.model_copy(update={"run": run, "at": at})


@pytest.fixture
def journal(place: str):
    with Journal.open(place) as opened:
        yield opened


async def test_events_come_back_as_they_went_in(journal: Journal):
    for event in EVENTS:
        await journal.append("r", event)
    assert journal.events("r") == EVENTS


async def test_appends_side_by_side_keep_the_order_of_the_appends(journal: Journal):
    async with anyio.create_task_group() as group:
        for event in EVENTS:
            group.start_soon(journal.append, "r", event)
    assert journal.events("r") == EVENTS


async def test_an_append_that_has_begun_is_written_though_its_caller_is_cancelled(journal: Journal):
    with anyio.CancelScope() as scope:
        scope.cancel()
        await journal.append("r", START)
    assert journal.events("r") == [START]


async def test_streamed_text_is_refused(journal: Journal):
    with pytest.raises(JournalError, match="never journalled"):
        await journal.append("r", TextStreamed(turn=1, text="x"))


async def test_a_run_starts_once(journal: Journal):
    await journal.append("r", START)
    with pytest.raises(JournalError, match="'r' is in the journal already"):
        await journal.append("r", START)


async def test_runs_are_listed_newest_first_with_their_status(journal: Journal):
    for event in EVENTS:
        await journal.append("finished", event)
    await journal.append("cut", start("cut", at=START.at + 9))
    await journal.append("cut", next(event for event in EVENTS if event.type == "CallStarted"))
    cut, finished = journal.runs()
    assert (cut.run, cut.status, cut.answer, cut.calls) == ("cut", None, None, 1)
    assert (finished.run, finished.status, finished.answer, finished.calls) == ("finished", "degraded", "12", 4)
    assert finished.question.startswith("A shop sells pens")
    assert [run.run for run in journal.runs(limit=1)] == ["cut"]


async def test_a_run_is_found_by_id_beginning_or_as_the_last(journal: Journal):
    for number, run in enumerate(["20261201-a1", "20261201-a12", "20261201-b", "20261201_"]):
        await journal.append(run, start(run, at=float(number)))
    assert journal.find("last") == "20261201_"
    assert journal.find("20261201-a1") == "20261201-a1"
    assert journal.find("20261201-b") == "20261201-b"
    assert journal.find("20261201_") == "20261201_"
    with pytest.raises(JournalError, match=r"'20261201-a' is the beginning of 2 runs \(20261201-a1, 20261201-a12\)"):
        journal.find("20261201-a")
    with pytest.raises(JournalError, match="no run '2027'"):
        journal.find("2027")
    with pytest.raises(JournalError, match="no run '2027'"):
        journal.events("2027")


async def test_an_empty_journal_has_no_last_run(journal: Journal):
    assert journal.runs() == []
    with pytest.raises(JournalError, match="holds no run yet"):
        journal.find("last")


def test_run_ids_sort_by_time_and_differ():
    ids = {new_run_id() for _ in range(200)}
    assert len(ids) == 200
    assert all(len(run) == len("20261201-142233-1f0ab2") for run in ids)


def test_a_url_names_a_journal_too(tmp_path: Path):
    Journal.open(f"sqlite:///{tmp_path / 'by_url.db'}").close()
    assert (tmp_path / "by_url.db").exists()


def test_the_environment_names_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DYNAFLOW_JOURNAL", str(tmp_path / "from_env.db"))
    Journal.open().close()
    assert (tmp_path / "from_env.db").exists()


def test_a_newer_journal_is_refused(place: str):
    with Journal.open(place) as journal, journal.engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO journal_schema VALUES (99, 0)")
    with pytest.raises(JournalError, match="has version 99, this program knows versions up to 3: update DynaFlow"):
        Journal.open(place)


async def test_a_journal_of_version_1_is_upgraded_and_keeps_its_runs(place: str, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as before:
        before.setattr(journal_tables, "MIGRATIONS", journal_tables.MIGRATIONS[:1])
        engine = journal_tables.open_database(place)
    rows = [
        {"run": "r", "seq": n, "type": e.type, "at": e.at, "body": EVENT.dump_json(e).decode()}
        for n, e in enumerate(EVENTS, 1)
    ]
    with engine.begin() as connection:
        connection.execute(journal_tables.EVENTS.insert(), rows)
    engine.dispose()
    with Journal.open(place) as journal:
        assert journal.events("r") == EVENTS
        assert journal.runs()[0].answer == "12"
        await journal.append("s", start("s"))
        assert {run.run for run in journal.runs()} == {"r", "s"}


@pytest.mark.parametrize(
    "where", ["folder", "text", "nodialect://x", "postgresql+nodriver://x", "text/below/a/file.db"]
)
def test_what_is_no_journal_is_refused_by_name(tmp_path: Path, where: str):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("this is no database, however long one looks at it")
    place = where if "://" in where else str(tmp_path / where)
    with pytest.raises(JournalError, match=r"cannot open the journal .*--journal or DYNAFLOW_JOURNAL"):
        Journal.open(place)


APPEND = """
import os, sys, anyio
from pathlib import Path
from dynaflow.events import EVENT
from dynaflow.journal import Journal
path, run, lines, end = sys.argv[1:]
async def main():
    journal = Journal.open(path)
    for line in Path(lines).read_bytes().splitlines():
        await journal.append(run, EVENT.validate_json(line))
    if end == "kill":
        os.kill(os.getpid(), 9)
    journal.close()
anyio.run(main)
"""


def append_elsewhere(place: str, run: str, lines: Path, end: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", APPEND, place, run, str(lines), end])


def test_a_killed_process_leaves_all_that_it_had_appended(place: str, tmp_path: Path):
    lines = tmp_path / "half.jsonl"
    lines.write_bytes(b"\n".join(EVENT.dump_json(event) for event in EVENTS[:15]))
    assert append_elsewhere(place, "r", lines, "kill").wait() == -signal.SIGKILL
    with Journal.open(place) as journal:
        assert journal.events("r") == EVENTS[:15]
        assert journal.runs()[0].status is None


def test_several_processes_open_and_append_at_once(place: str):
    lines = Path(__file__).parent / "pens.jsonl"
    writers = [append_elsewhere(place, f"r{number}", lines, "close") for number in range(4)]
    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    with Journal.open(place) as journal:
        assert all(journal.events(f"r{number}") == EVENTS for number in range(4))


async def test_several_processes_may_write_to_one_run(place: str, tmp_path: Path):
    lines = tmp_path / "rest.jsonl"
    lines.write_bytes(b"\n".join(EVENT.dump_json(event) for event in EVENTS[1:]))
    with Journal.open(place) as journal:
        await journal.append("r", START)
        writers = [append_elsewhere(place, "r", lines, "close") for _ in range(3)]
        for event in EVENTS[1:]:
            await journal.append("r", event)
        assert [writer.wait() for writer in writers] == [0, 0, 0]
        written = journal.events("r")
    assert len(written) == 1 + 4 * len(EVENTS[1:])
    assert all(written.count(event) >= 4 for event in EVENTS[1:])


async def test_no_text_is_lost(journal: Journal):
    """PostgreSQL takes no NUL and no database half a surrogate pair; a large value lies in a text of its own."""
    for number, text in enumerate(["a\0b", "a\ud800b", "é" * 100_000, "\ud800\0" * 50_000, '\\u0000"\\'], 1):
        event = CallFinished(turn=1, call=number, status="delivered", value={"deep": [text, 10**30]}, text=text)
        await journal.append("r", event)
        assert journal.events("r")[-1] == event


async def test_a_large_value_is_stored_once(journal: Journal):
    long = "x" * 20_000
    await journal.append("r", start("r"))
    for call in (1, 2):
        await journal.append("r", CallFinished(turn=1, call=call, status="delivered", value=long, text=long))
    assert {event.text for event in journal.events("r")[1:] if event.type == "CallFinished"} == {long}
    with journal.engine.connect() as connection:
        assert len(connection.exec_driver_sql("SELECT hash FROM artifacts").all()) == 1
        assert connection.exec_driver_sql("SELECT max(length(body)) FROM events").scalar() < 1_000
    assert await journal.put(long) == await journal.put(long)
    assert journal.get(await journal.put(long)) == long
    with pytest.raises(JournalError, match="no artifact 'none'"):
        journal.get("none")


async def test_a_run_with_a_long_task_is_listed(journal: Journal):
    assert isinstance(START, RunStarted)
    task = START.task.model_copy(update={"context": "long " * 10_000})
    await journal.append("r", START.model_copy(update={"run": "r", "task": task}))
    assert journal.runs()[0].question == task.question


async def test_an_event_that_nobody_waits_for_goes_with_the_next_or_by_itself(journal: Journal):
    told: list[JournalError | None] = []
    await journal.append("r", START)
    journal.enqueue("r", EVENTS[1], told.append, urgent=False)
    await journal.append("r", EVENTS[2])
    assert told == [None]
    written = Future[JournalError | None]()
    journal.enqueue("r", EVENTS[3], written.set_result, urgent=False)
    assert await asyncio.wrap_future(written) is None
    assert journal.events("r") == EVENTS[:4]
