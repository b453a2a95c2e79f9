"""Loops: each kind is found, told once, and stopped; what only looks like a loop is let alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dynaflow import Budget, Event, Journal, Result, Task, run_program, solve
from dynaflow.loops import REPEATS_ALLOWED, Handoff, RepeatWatch, is_ping_pong
from dynaflow.testing import LoopbackServer, Rule, ScriptedModel, anyone, faults, main_agent, sub_agent
from subagents import Pool, SubAgent

pytestmark = pytest.mark.anyio
TASK = Task(question="How much is 3 + 4?")
POOL = Pool([SubAgent(name="solver", description="solves")])


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as opened:
        yield opened


async def ran(journal: Journal, program: str, *, replies: int) -> tuple[Result, list[Event]]:
    """A program by hand; the sub-agents must be asked exactly so often."""
    async with LoopbackServer(ScriptedModel(anyone("7", times=replies))) as server:
        result = await run_program(program, TASK, agent_model=server.endpoint("agent"), pool=POOL, journal=journal)
    return result, journal.events(result.run)


async def solved(journal: Journal, *rules: Rule, **options: object) -> Result:
    async with LoopbackServer(ScriptedModel(*rules)) as server:
        models = {"model": server.endpoint("main"), "agent_model": server.endpoint("agent")}
        defaults = {"mode": "forced", "prompt": "compact", **models, **options}
        return await solve(TASK, pool=POOL, journal=journal, **defaults)


def fenced(program: str) -> str:
    return f"```python\n{program}\n```"


# -- calls ------------------------------------------------------------------------------------------------------------


def test_a_repeat_is_one_that_was_asked_after_the_reply_had_come() -> None:
    watch = RepeatWatch()
    assert watch.asked(1, ["vote"] * 5) == {"vote": 0}
    assert watch.asked(1, ["vote", "other"]) == {"vote": 0, "other": 0}
    watch.delivered(1, "vote")
    assert watch.asked(1, ["vote"] * 5 + ["other"]) == {"vote": 1, "other": 0}
    assert watch.asked(1, ["vote"]) == {"vote": 2}


def test_what_a_later_workflow_asks_again_counts_once_for_each() -> None:
    watch = RepeatWatch()
    for workflow in range(1, 6):
        assert watch.asked(workflow, ["key"]) == {"key": workflow - 1}
        watch.delivered(workflow, "key")
    assert watch.asked(5, ["key"]) == {"key": 4}


async def test_a_vote_is_no_loop(journal: Journal) -> None:
    result, events = await ran(journal, 'return gather(*[ask("solver", "vote") for _ in range(9)])', replies=9)
    assert result.status == "answered"
    assert {event.repeats for event in events if event.type == "CallStarted"} == {0}


async def test_a_call_that_goes_on_repeating_itself_is_not_sent(journal: Journal) -> None:
    program = """
for n in range(99):
    try:
        ask("solver", "same").strip()
    except RepeatedCall as error:
        return [n, isinstance(error, CallFailed), "change the instruction" in str(error)]
"""
    result, events = await ran(journal, program, replies=1 + REPEATS_ALLOWED)
    assert result.answer == f"[{1 + REPEATS_ALLOWED}, true, true]"
    assert (result.calls, result.failures) == (1 + REPEATS_ALLOWED, {"RepeatedCall": 1})
    repeats = [event.repeats for event in events if event.type == "CallStarted"]
    assert repeats == list(range(2 + REPEATS_ALLOWED))


async def test_asking_again_after_a_failure_is_no_repeat(journal: Journal) -> None:
    program = """
for n in range(8):
    try:
        return [n, ask("solver", "same").strip()]
    except EmptyReply:
        pass
"""
    rules = [anyone(faults.truncated(), times=7), anyone("7", times=1)]
    async with LoopbackServer(ScriptedModel(*rules)) as server:
        result = await run_program(program, TASK, agent_model=server.endpoint("agent"), pool=POOL, journal=journal)
    assert result.answer == '[7, "7"]'


async def test_repeats_are_noted_once_in_the_feedback(journal: Journal) -> None:
    program = fenced('for _ in range(4):\n    x = ask("solver", "same")\n    x.strip()\nreturn x')
    note = "Note: solver was asked [same] again 3 times although its reply was there"
    told = main_agent(
        "<answer>7</answer>", when=lambda request: request.messages[-1].text.count("Note:") == 1, user=note
    )
    result = await solved(journal, main_agent(program), sub_agent("7", times=4), told)
    assert result.status == "answered"


async def test_calls_are_watched_across_the_workflows_of_a_run(journal: Journal) -> None:
    rules: list[Rule] = []
    for turn in range(1, 7):
        rules += [main_agent(fenced(f'print({turn})\nx = ask("solver", "same").strip()\nreturn 1 / 0'))]
        rules += [sub_agent("7")] if turn <= 1 + REPEATS_ALLOWED else []
    result = await solved(journal, *rules, main_agent("<answer>7</answer>"), budget=Budget(turns=7))
    assert (result.calls, result.failures) == (1 + REPEATS_ALLOWED, {"RepeatedCall": 1})


# -- programs ---------------------------------------------------------------------------------------------------------


async def test_a_failed_program_sent_again_is_told_once_and_then_stops_the_run(journal: Journal) -> None:
    program = 'x = ask("solver", "q")\nreturn int(x) / 0'
    result = await solved(
        journal,
        main_agent(fenced(program)),
        sub_agent("7"),
        main_agent(fenced(program + "  \n")),
        main_agent(fenced(program), user="This very program has failed with WorkflowRuntimeError: ZeroDivisionError"),
    )
    assert (result.status, result.calls) == ("no_answer", 1)
    assert (result.reason or "").startswith("the main agent keeps sending the same program, which has failed with")


async def test_a_program_that_the_check_refused_is_the_same_matter(journal: Journal) -> None:
    program = fenced('return ask("solvr", "q")')
    rules = [main_agent(program, times=2), main_agent(program, user="This very program was not run")]
    result = await solved(journal, *rules)
    assert (result.status, result.calls) == ("no_answer", 0)
    assert "keeps sending the same program" in (result.reason or "")
    assert [event.type for event in journal.events(result.run)].count("ProgramChecked") == 1


async def test_a_program_that_is_mended_after_it_was_told_goes_on(journal: Journal) -> None:
    broken = fenced("return 1 / 0")
    rules = [main_agent(broken, times=2), main_agent(fenced('return ask("solver", "q")')), sub_agent("7")]
    result = await solved(journal, *rules, main_agent("<answer>7</answer>"))
    assert result.status == "answered"


async def test_a_program_that_failed_for_a_passing_cause_may_be_sent_again(journal: Journal) -> None:
    program = fenced('return ask("solver", "q")')
    rules = [main_agent(program), sub_agent(faults.status(401)), main_agent(program), sub_agent("7")]
    result = await solved(journal, *rules, main_agent("<answer>7</answer>"))
    assert (result.status, result.failures) == ("degraded", {"AgentUnavailable": 1})


async def test_a_program_that_asks_nobody_stops_a_forced_run_that_insists_on_it(journal: Journal) -> None:
    result = await solved(journal, main_agent(fenced("return 7"), times=3))
    assert (result.status, result.reason) == (
        "no_answer",
        "the main agent keeps sending the same program, which has run already, and returned 7",
    )


# -- handoffs ---------------------------------------------------------------------------------------------------------


def test_a_handoff_that_says_the_same_again_is_ping_pong() -> None:
    there, back, more = Handoff("a", "b", "check it"), Handoff("b", "a", "it is wrong"), Handoff("a", "b", "I mended 2")
    assert not any(map(is_ping_pong, ([], [there], [there, back], [there, back, more])))
    assert is_ping_pong([there, back, there])
    assert is_ping_pong([there, back, more, back])
