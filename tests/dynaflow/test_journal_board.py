"""The board: versions, compare-and-set, several processes; through the door of a workflow as well."""

from __future__ import annotations

import subprocess
import sys

import anyio
import pytest

from dynaflow.board import Board
from dynaflow.errors import VersionConflict
from dynaflow.journal import Journal
from dynaflow.solving import run_program
from dynaflow.task import Task
from tests.dynaflow.lines import player

pytestmark = pytest.mark.anyio


@pytest.fixture
def journal(place: str):
    with Journal.open(place) as opened:
        yield opened


async def test_every_version_is_kept(journal: Journal):
    board = Board(journal, "r")
    assert [await board.share("plan", value) for value in ("a", {"b": [1]}, None)] == [1, 2, 3]
    assert [await board.recall("plan", version) for version in (1, 2, 3)] == ["a", {"b": [1]}, None]
    assert await board.recall("plan") is None
    with pytest.raises(KeyError, match="no artifact 'plna' is shared; there is 'plan'"):
        await board.recall("plna")
    with pytest.raises(KeyError, match="'plan' has no version 9; the newest is 3"):
        await board.recall("plan", 9)
    with pytest.raises(KeyError, match="there is nothing"):
        await Board(journal, "another").recall("plan")


async def test_any_id_and_any_value_is_taken(journal: Journal):
    for artifact in ("", "a\0b", "\ud800", "x" * 10_000):
        assert await Board(journal, "r").share(artifact, artifact * 3) == 1
        assert await Board(journal, "r").recall(artifact) == artifact * 3


async def test_the_loser_of_a_compare_and_set_is_told_and_nothing_is_written(journal: Journal):
    board = Board(journal, "r")
    assert await board.share("plan", "a", expected=0) == 1
    with pytest.raises(
        VersionConflict, match="'plan' has version 1, not the expected 0: recall it, and share it again"
    ):
        await board.share("plan", "b", expected=0)
    assert await board.share("plan", "c", expected=1) == 2
    assert [await board.recall("plan", version) for version in (1, 2)] == ["a", "c"]


async def test_parallel_writers_of_one_process_lose_no_write(journal: Journal):
    board, versions = Board(journal, "r"), list[int]()

    async def share(number: int) -> None:
        versions.append(await board.share("plan", number))

    async with anyio.create_task_group() as group:
        for number in range(50):
            group.start_soon(share, number)
    assert sorted(versions) == list(range(1, 51))
    assert {await Board(journal, "r").recall("plan", version) for version in versions} == set(range(50))


WRITER = """
import sys, anyio
from dynaflow.board import Board
from dynaflow.errors import VersionConflict
from dynaflow.journal import Journal
place, name = sys.argv[1:]
async def main():
    with Journal.open(place) as journal:
        board = Board(journal, "r")
        for number in range(20):
            await board.share("all", f"{name}-{number}")
            while True:
                try:
                    total = await board.recall("total")
                    newest = total["version"]
                except KeyError:
                    total, newest = {"sum": 0}, 0
                try:
                    await board.share("total", {"sum": total["sum"] + 1, "version": newest + 1}, newest)
                    break
                except VersionConflict:
                    pass
anyio.run(main)
"""


def test_several_processes_lose_no_write(place: str):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, place, str(name)]) for name in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    total, shared = anyio.run(recall_all, place)
    assert total == {"sum": 60, "version": 60}
    assert sorted(shared) == sorted(f"{name}-{number}" for name in range(3) for number in range(20))


async def recall_all(place: str):
    with Journal.open(place) as journal:
        board = Board(journal, "r")
        return await board.recall("total"), [await board.recall("all", version) for version in range(1, 61)]


PROGRAM = """
first = share("plan", "a", expected=0)
try:
    share("plan", "b", expected=0)
except VersionConflict as error:
    why = str(error)
second = share("plan", "sk-" + "secret0" * 4)
try:
    recall("plan", version="x")
except TypeError as error:
    wrong = str(error)
return [first, second, recall("plan", version=1), recall("plan"), why, wrong]
"""


async def test_a_program_shares_and_recalls_by_version(journal: Journal):
    seen = list[object]()
    async with player() as server:
        result = await run_program(
            PROGRAM, Task(question="?"), agent_model=server.endpoint("agent"), journal=journal, observe=seen.append
        )
    assert result.answer is not None, result.reason
    assert result.answer.startswith('[1, 2, "a", "sk-secret0')
    assert "has version 1, not the expected 0" in result.answer
    assert "version is the number of a version, not 'x'" in result.answer
    (summary,) = journal.runs()
    assert summary.redacted > 0
    assert "secret0secret0" not in str(journal.events(result.run))
