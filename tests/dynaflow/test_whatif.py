"""Runs that go another way than the one before: only what depends on the change is paid for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dynaflow import Journal, Result, rollback, run_program, whatif
from dynaflow.errors import JournalError, SettingError
from dynaflow.replaying import CallPlace
from dynaflow.testing import LoopbackServer
from tests.dynaflow.lines import POOL, TASK, end, end_run, player, whole

pytestmark = pytest.mark.anyio
PROGRAM = """
drafts = [ask("solver", f"Solve {n}") for n in "abc"]
checks = [ask("critic", "Check it.", inputs={"draft": d}) for d in drafts]
graded = ask("critic", "Grade it.", inputs={"draft": drafts[0]}, returns={"grade": int, "why": str})
return [*drafts, *checks, graded.grade]
"""


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as opened:
        yield opened


async def ran(server: LoopbackServer, journal: Journal) -> Result:
    result = await run_program(PROGRAM, TASK, agent_model=server.endpoint("agent"), pool=POOL, journal=journal)
    assert (result.status, server.received) == ("answered", 7), result.reason
    return result


async def test_without_a_call_only_what_depended_on_it_is_paid(journal: Journal) -> None:
    async with player() as server:
        first = await ran(server, journal)
        result = await whatif(first.run, without=[2], journal=journal)
        assert server.received == 7 + 1, "the check of the second draft"
        assert server.log[-1].request.last.count("unavailable") == 1
        assert (result.status, result.served) == ("answered", 6)
        again = await whatif(first.run, without=[1], journal=journal)
        assert server.received == 8 + 2, "check and grade of the first draft"
        assert again.served == 5
        shaped = await whatif(first.run, without=[7], journal=journal)
        assert server.received == 10
        assert "AgentUnavailable: taken away" in (shaped.reason or "")


async def test_another_reply_reaches_what_depended_on_it(journal: Journal) -> None:
    async with player() as server:
        first = await ran(server, journal)
        result = await whatif(first.run, replies={3: "forty-two"}, journal=journal)
        assert server.received == 8
        assert '"forty-two"' in (result.answer or "")
        graded = await whatif(first.run, replies={7: '{"grade": 5, "why": "it is so"}'}, journal=journal)
        assert server.received == 8
        assert (graded.answer or "").endswith(", 5]")
        with pytest.raises(SettingError, match="the reply for call 7 does not fit its shape"):
            await whatif(first.run, replies={7: '{"grade": "five"}'}, journal=journal)
        with pytest.raises(SettingError, match="has no call 9 that was answered; there are: 1, 2, 3"):
            await whatif(first.run, without=[9], journal=journal)


async def test_an_edited_program_pays_only_for_what_is_new(journal: Journal) -> None:
    async with player() as server:
        first = await ran(server, journal)
        edited = PROGRAM.replace('for n in "abc"', 'for n in "cbad"')
        result = await whatif(first.run, program=edited, journal=journal)
        assert server.received == 7 + 3, "the fourth draft with its check, and the grade of what is the first one now"
        assert result.served == 6
        with pytest.raises(SettingError, match="nothing is changed"):
            await whatif(first.run, journal=journal)
        with pytest.raises(SettingError, match="no program ran in turn 5"):
            await whatif(first.run, program="return 1", turn=5, journal=journal)


async def test_a_changed_workflow_of_a_main_agent_is_followed_by_new_turns(journal: Journal) -> None:
    async with player() as server:
        events = await whole(server, journal)
        before = server.received
        result = await whatif(end_run(events), turn=1, without=[1], journal=journal)
        assert result.status == "answered"
        line = journal.events(result.run)
        fresh = {event.call for event in line if event.type == "CallAttempted" and event.turn == 1}
        assert len(fresh) == 1, "the check of that draft"
        assert server.received - before == 1 + 1 + 5 + 1, "the second message, its five calls, and the answer"
        assert [event.turn for event in line if event.type == "ModelCalled"] == [1, 2, 3]


async def test_a_run_goes_back_to_a_turn_or_a_call(journal: Journal) -> None:
    async with player() as server:
        events = await whole(server, journal)
        run = end_run(events)
        before = server.received
        result = await rollback(run, turn=3, journal=journal)
        assert (result.answer, server.received - before) == (end(events).answer, 1)
        before = server.received
        last = max(event.call for event in events if event.type == "CallFinished" and event.turn == 2)
        result = await rollback(run, turn=2, call=last, journal=journal)
        assert result.status == "answered"
        assert server.received - before == 2, "the call, and the message after it"
        started = journal.own_events(result.run)[0]
        assert started.type == "RunStarted"
        assert started.parent is not None
        assert (started.parent.run, started.parent.why, started.seed) == (run, "rollback", 1)
        with pytest.raises(JournalError, match="no turn 9"):
            await rollback(run, turn=9, journal=journal)
        with pytest.raises(JournalError, match="no call 99 in turn 2"):
            await rollback(run, turn=2, call=99, journal=journal)


@pytest.mark.parametrize(("text", "place"), [("3", CallPlace(3)), ("2.3", CallPlace(3, 2)), (" 12 ", CallPlace(12))])
def test_a_call_is_named_by_its_number(text: str, place: CallPlace) -> None:
    assert CallPlace.read(text) == place


@pytest.mark.parametrize("text", ["", "x", "1.", ".2", "1.2.3", "-1"])
def test_what_is_no_call_is_said(text: str) -> None:
    with pytest.raises(SettingError, match="is no call"):
        CallPlace.read(text)


async def test_the_cache_spares_what_other_runs_have_paid_for(journal: Journal) -> None:
    votes = 'return gather(*[ask("solver", "Vote.") for _ in range(3)], ask("critic", "Check it."))'
    async with player() as server:

        async def run(**options: object) -> Result:
            return await run_program(
                votes, TASK, agent_model=server.endpoint("agent"), pool=POOL, journal=journal, **options
            )

        first = await run(cache=True)
        assert (server.received, first.served) == (4, 0)
        assert len(set((first.answer or "").split(", "))) >= 3, "three samples are three"
        again = await run(cache=True)
        assert (server.received, again.served, again.answer) == (4, 4, first.answer)
        assert (again.calls, again.delivered, again.agent_usage.total) == (4, 4, 0)
        other = await run(cache=True, seed=1)
        assert (server.received, other.served) == (8, 0)
        without = await run()
        assert (server.received, without.served) == (12, 0)
