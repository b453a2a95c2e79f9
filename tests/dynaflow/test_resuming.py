"""Runs that are cut off and go on: nothing that was paid for is asked again, and the end is the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from dynaflow import Budget, Event, Journal, resume, run_program
from dynaflow.errors import SettingError
from dynaflow.testing import LoopbackServer, ScriptedModel, anyone, echo
from tests.dynaflow.lines import POOL, TASK, cut, end, end_run, player, whole

pytestmark = pytest.mark.anyio
STEP = 7


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as opened:
        yield opened


def paid(events: Sequence[Event]) -> int:
    """Requests whose reply is in the journal."""
    calls = sum(event.type == "CallFinished" and event.status == "delivered" for event in events)
    return calls + sum(event.type == "ModelCalled" for event in events)


async def test_a_run_that_is_cut_off_anywhere_goes_on_to_the_same_end(journal: Journal) -> None:
    async with player() as server:
        events = await whole(server, journal)
        assert end(events).status == "answered", end(events).reason
        for length in range(1, len(events), STEP):
            before = server.received
            await cut(journal, events[:length], f"cut-{length}")
            result = await resume(f"cut-{length}", journal=journal)
            assert (result.status, result.answer) == ("answered", end(events).answer), (length, result.reason)
            assert server.received - before == paid(events) - paid(events[:length]), length
            assert result.calls == end(events).calls
            assert result.agent_usage == end(events).agent_usage
            assert result.main_usage == end(events).main_usage


async def test_a_run_can_be_cut_off_again_and_again(journal: Journal) -> None:
    async with player() as server:
        events = await whole(server, journal)
        run, line = "cut-0", events[:9]
        await cut(journal, line, run)
        for length in (20, 35, 50, 65):
            before = server.received
            result = await resume(run, journal=journal)
            assert result.answer == end(events).answer
            assert server.received - before == paid(events) - paid(journal.events(run))
            own = journal.own_events(result.run)
            run = f"cut-{length}"
            await cut(journal, own[:length], run)


async def test_the_story_of_a_run_that_goes_on_is_whole(journal: Journal) -> None:
    async with player() as server:
        events = await whole(server, journal)
        halfway = next(i for i, event in enumerate(events) if event.type == "WorkflowStarted" and event.turn == 2) + 6
        await cut(journal, events[:halfway], "cut")
        result = await resume("cut", journal=journal)
    line = journal.events(result.run)
    assert [e.type for e in line if e.type in ("ModelCalled", "WorkflowFinished", "Answered")] == [
        e.type for e in events if e.type in ("ModelCalled", "WorkflowFinished", "Answered")
    ]
    served = {event.call for event in line if event.type == "CallServed"}
    known = {e.call for e in events[:halfway] if e.type == "CallFinished" and e.turn == 2}
    assert served == known
    assert result.served == len(known)


async def test_a_higher_limit_lets_out_what_the_old_one_refused(journal: Journal) -> None:
    program = (
        'first = gather(*[ask("solver", str(i)) for i in range(8)])\nreturn gather(*[ask("critic", x) for x in first])'
    )
    async with player() as server:
        refused = await run_program(
            program, TASK, agent_model=server.endpoint("agent"), pool=POOL, journal=journal, budget=Budget(calls=12)
        )
        assert (refused.status, server.received) == ("no_answer", 8)
        result = await resume(refused.run, journal=journal, budget=Budget(calls=16))
        assert (result.status, result.calls, result.served) == ("answered", 16, 8), result.reason
        assert server.received == 16


async def test_what_was_paid_for_after_a_refusal_is_served_all_the_same(journal: Journal) -> None:
    program = """
quick, slow = ask("solver", "quick"), ask("solver", "slow")
checks = None
if len(quick):
    try:
        checks = gather(ask("critic", "one"), ask("critic", "two"))
    except BudgetExceeded:
        pass
return [slow, checks]
"""
    model = ScriptedModel(anyone(echo))
    async with LoopbackServer(model, latency=lambda request: 0.3 if "slow" in request.user else 0.0) as server:
        refused = await run_program(
            program, TASK, agent_model=server.endpoint("agent"), pool=POOL, journal=journal, budget=Budget(calls=3)
        )
        assert (refused.failures, server.received) == ({"BudgetExceeded": 2}, 2)
        cut_off = [event for event in journal.events(refused.run) if event.type != "RunFinished"]
        await cut(journal, cut_off, "20260101-000000-c0c0c0")
        result = await resume("20260101-000000-c0c0c0", journal=journal, budget=Budget(calls=4))
        assert (result.calls, result.served, result.failures) == (4, 2, {}), result.reason
        assert server.received == 4


async def test_a_run_without_turns_left_goes_on_with_more(journal: Journal) -> None:
    async with player() as server:
        events = await whole(server, journal, budget=Budget(turns=2))
        assert end(events).status == "no_answer"
        before = server.received
        result = await resume(end_run(events), journal=journal, budget=Budget(turns=3))
        assert result.status == "answered"
        assert server.received - before == 1


async def test_an_answered_run_is_not_resumed(journal: Journal) -> None:
    async with player() as server:
        events = await whole(server, journal)
        with pytest.raises(SettingError, match="has its answer"):
            await resume(end_run(events), journal=journal)


async def test_a_pool_that_has_changed_is_found_out(journal: Journal) -> None:
    async with player() as server:
        events = await whole(server, journal)
        started = events[0]
        assert started.type == "RunStarted"
        assert started.setup is not None
        solver = started.setup.pool.agents[0].model_copy(update={"instructions": "Solve it otherwise."})
        pool = started.setup.pool.model_copy(update={"agents": (solver, started.setup.pool.agents[1])})
        other = started.model_copy(update={"setup": started.setup.model_copy(update={"pool": pool})})
        await cut(journal, [other, *events[1:20]], "cut")
        result = await resume("cut", journal=journal)
    assert result.status == "failed"
    assert "call 1 of turn 1 is not what it was in run 'cut'" in (result.reason or "")
