"""Runs that leave the journal, and that go from one journal to another."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from dynaflow.archive import Imported, export_runs, import_runs
from dynaflow.errors import JournalError
from dynaflow.events import EVENT, CallFinished, Event, RunStarted
from dynaflow.journal import Journal
from dynaflow.pruning import prune

pytestmark = pytest.mark.anyio

EVENTS = [EVENT.validate_json(line) for line in (Path(__file__).parent / "pens.jsonl").read_bytes().splitlines()]
START = EVENTS[0]
LONG = "é" * 10_000
SECRET = "sk-abcd1234abcd1234abcd"


def start(run: str, at: float) -> Event:
    assert isinstance(START, RunStarted)
    return START.model_copy(update={"run": run, "at": at})


async def fill(journal: Journal) -> None:
    for event in EVENTS:
        await journal.append("a", event)
    await journal.append("b", start("b", 1.0))
    await journal.append("b", CallFinished(turn=1, call=1, status="delivered", value=LONG, text=SECRET, at=2.0))
    await journal.share("b", "plan", {"long": LONG})


@pytest.mark.parametrize("name", ["runs.jsonl", "runs.jsonl.gz"])
async def test_runs_come_back_byte_for_byte(place: str, tmp_path: Path, name: str):
    first, second = tmp_path / f"1{name}", tmp_path / f"2{name}"
    with Journal.open(place) as journal, Journal.open(tmp_path / "other.db") as other:
        await fill(journal)
        export_runs(journal, ["a", "b"], first)
        assert import_runs(other, first) == Imported(("a", "b"), ())
        assert [other.events(run) for run in "ab"] == [journal.events(run) for run in "ab"]
        assert await other.recall("b", "plan") == (1, {"long": LONG})
        assert other.runs() == journal.runs()
        assert other.runs()[-1].redacted == 1
        export_runs(other, ["a", "b"], second)
        assert import_runs(other, first) == Imported((), ("a", "b"))
        prune(other, 5.0)
        assert import_runs(other, first) == Imported(("b",), ("a",))
    unpack = gzip.decompress if name.endswith("gz") else bytes
    lines = [unpack(file.read_bytes()) for file in (first, second)]
    assert _without_times(lines[0]) == _without_times(lines[1])


def _without_times(archive: bytes) -> list[bytes]:
    """The time at which an artifact was put is the journal's own."""
    return [line.partition(b'"body"')[2] if b'"artifacts"' in line else line for line in archive.splitlines()]


async def test_a_file_that_was_cut_off_or_changed_is_refused_whole(tmp_path: Path):
    file, broken = tmp_path / "runs.jsonl", tmp_path / "broken.jsonl"
    packed = tmp_path / "runs.gz"
    with Journal.open(tmp_path / "a.db") as journal, Journal.open(tmp_path / "b.db") as other:
        await fill(journal)
        export_runs(journal, ["a", "b"], file)
        whole = file.read_text()
        for text, why in (
            (whole[:-20], "cannot import"),
            (whole.rpartition('{"end"')[0], "is cut off after"),
            (whole.replace("00e9", "00e8", 1), "was changed"),
            (whole.replace('"table":"events"', '"table":"journal_schema"', 1), "is no row of a journal"),
            (whole.replace('"dynaflow_runs":1', '"dynaflow_runs":9', 1), "has version 9"),
            ("hello", "holds no exported runs"),
        ):
            broken.write_text(text)
            with pytest.raises(JournalError, match=why):
                import_runs(other, broken)
        packed.write_bytes(gzip.compress(whole.encode())[:-30])
        with pytest.raises(JournalError, match="cannot import"):
            import_runs(other, packed)
        assert other.runs() == []


async def test_old_runs_go_with_all_that_is_theirs(place: str):
    with Journal.open(place) as journal:
        await fill(journal)
        await journal.put("nothing points here")
        would = prune(journal, 5.0, dry_run=True)
        assert [run.run for run in journal.runs()] == ["a", "b"]
        assert prune(journal, 5.0) == would
        assert (would.runs, would.kept) == (("b",), ())
        assert [run.run for run in journal.runs()] == ["a"]
        prune(journal, 1e11)
        with journal.engine.connect() as connection:
            tables = ("events", "artifacts", "event_artifacts", "board", "redactions")
            left = {table: connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() for table in tables}
    assert left == dict.fromkeys(tables, 0)
