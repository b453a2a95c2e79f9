"""Budgets through sandbox, Flow and HTTP, where the server counts what was sent."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynaflow import Budget, Journal, Result, Task, run_program, solve
from dynaflow.budgets import Amount, Scope
from dynaflow.testing import LoopbackServer, Reply, ScriptedModel, anyone, faults, main_agent, sub_agent
from subagents import Allowance, Pool, Sampling, SubAgent

pytestmark = pytest.mark.anyio
TASK = Task(question="How much is 3 + 4?")
POOL = Pool([SubAgent(name="solver", description="solves"), SubAgent(name="verifier", description="checks")])
FAN_OUTS = """
outs = []
for size in {sizes}:
    outs += gather(*[ask("solver", f"{{size}} {{i}}") for i in range(size)], on_error="return")
return [isinstance(out, BudgetExceeded) for out in outs]
"""


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as opened:
        yield opened


async def ran(server: LoopbackServer, journal: Journal, program: str, *, pool: Pool = POOL, budget: Budget) -> Result:
    return await run_program(
        program, TASK, agent_model=server.endpoint("agent"), pool=pool, journal=journal, budget=budget
    )


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sizes=st.lists(st.integers(1, 30), min_size=1, max_size=4), calls=st.integers(0, 50))
def test_the_server_sees_no_more_than_whole_batches_within_the_limit(
    journal: Journal, sizes: list[int], calls: int
) -> None:
    async def check() -> tuple[int, Result]:
        async with LoopbackServer(ScriptedModel(anyone("7"))) as server:
            result = await ran(server, journal, FAN_OUTS.format(sizes=sizes), budget=Budget(calls=calls))
            return server.received, result

    received, result = anyio.run(check)
    admitted = 0
    for size in sizes:
        admitted += size if admitted + size <= calls else 0
    assert received == result.calls == admitted
    assert result.failures.get("BudgetExceeded", 0) == sum(sizes) - admitted


async def test_the_tokens_that_the_server_counts_stay_within_the_budget(journal: Journal) -> None:
    async with LoopbackServer(ScriptedModel(anyone(lambda request: "word" * (request.max_tokens or 0)))) as server:
        program = 'n = 0\nwhile n < 40:\n    n += len("".join(gather(*[ask("solver", f"{n} {i}") for i in range(5)]))) > 0\nreturn n'
        result = await ran(server, journal, program, budget=Budget(tokens=30_000, calls=None))
        counted = sum(served.prompt_tokens + served.completion_tokens for served in server.log)
    assert "tokens" in (result.reason or "")
    assert 20_000 < counted == result.agent_usage.total <= 30_000


async def test_a_small_budget_of_tokens_suffices_for_a_small_run(journal: Journal) -> None:
    async with LoopbackServer(ScriptedModel(anyone("7"))) as server:
        result = await ran(server, journal, 'return ask("solver", "3 + 4")', budget=Budget(tokens=400))
        assert server.log[0].request.max_tokens == 256
    assert (result.status, result.answer) == ("answered", "7")


async def test_a_program_returns_what_it_has_when_the_budget_is_at_its_end(journal: Journal) -> None:
    program = """
outs = []
try:
    for i in range(9):
        outs.append(ask("solver", f"part {i}").strip())
except BudgetExceeded as error:
    outs.append(str(error)[:34])
return outs
"""
    async with LoopbackServer(ScriptedModel(anyone("7", times=2))) as server:
        result = await ran(server, journal, program, budget=Budget(calls=2))
    assert result.answer == '["7", "7", "the budget of the run allows 2 cal"]'
    assert (result.status, result.failures) == ("degraded", {"BudgetExceeded": 1})


async def test_an_agent_and_a_workflow_have_budgets_of_their_own(journal: Journal) -> None:
    pool = Pool([SubAgent(name="solver", description="s", budget=Allowance(calls=1)), *list(POOL)[1:]])
    program = """
outs = [gather(ask("solver", "a"), ask("solver", "b"), on_error="return")[0]]
for name in ("solver", "verifier", "verifier"):
    outs += gather(ask(name, "c"), on_error="return")
return [str(out) for out in outs]
"""
    async with LoopbackServer(ScriptedModel(anyone("7", times=2))) as server:
        result = await ran(server, journal, program, pool=pool, budget=Budget(per_workflow=Allowance(calls=2)))
    refused, *served, last = (result.answer or "").split('", "')
    assert "the budget of agent 'solver' allows 1 calls; 0 are used, and 2 more" in refused
    assert served == ["7", "7"]
    assert "the budget of the workflow allows 2 calls; 2 are used" in last


async def test_calls_end_with_the_seconds_of_their_workflow_and_the_program_goes_on(journal: Journal) -> None:
    program = 'try:\n    x = ask("solver", "q").strip()\nexcept BudgetExceeded:\n    x = "in time"\nreturn x'
    async with LoopbackServer(ScriptedModel(anyone(faults.stalled("x")))) as server:
        result = await ran(server, journal, program, budget=Budget(per_workflow=Allowance(seconds=0.5)))
    assert result.answer == "in time"
    failed = next(event for event in journal.events(result.run) if event.type == "CallFinished")
    assert failed.failure == "BudgetExceeded"


async def test_calls_over_the_concurrency_wait(journal: Journal) -> None:
    async with LoopbackServer(ScriptedModel(anyone("7")), latency=0.01) as server:
        program = 'return len(gather(*[ask("solver", str(i)) for i in range(12)]))'
        result = await ran(server, journal, program, budget=Budget(concurrency=3))
        spans = [(served.received, served.finished or 0) for served in server.log]
    assert result.answer == "12"
    assert max(sum(a <= moment < b for a, b in spans) for moment, _ in spans) <= 3


async def test_runs_of_a_study_share_its_budget(journal: Journal) -> None:
    study = Scope("the study", Allowance(calls=3))
    program = '```python\nreturn gather(ask("solver", "a"), ask("solver", "b"))\n```'
    results = []
    for script in (
        [main_agent(program), sub_agent("7", times=2), main_agent("<answer>7</answer>")],
        [
            main_agent(program),
            main_agent("<answer>none</answer>", user="the budget of the study allows 3 calls; 2 are"),
        ],
    ):
        async with LoopbackServer(ScriptedModel(*script)) as server:
            options = {"model": server.endpoint("main"), "agent_model": server.endpoint("agent"), "within": study}
            results.append(await solve(TASK, pool=POOL, journal=journal, prompt="compact", **options))
    assert [result.calls for result in results] == [2, 0]
    assert study.used.calls == 2
    assert study.used.tokens == sum(result.main_usage.total + result.agent_usage.total for result in results)


async def test_a_budget_of_money_without_a_price_refuses_before_anything_is_sent(journal: Journal) -> None:
    async with LoopbackServer(ScriptedModel()) as server:
        result = await ran(server, journal, 'return ask("solver", "a")', budget=Budget(usd=Decimal("0.01")))
        assert server.received == 0
        assert f"the price of {server.endpoint('agent')!r} is not known" in (result.reason or "")


async def test_a_stream_that_is_cut_keeps_what_was_reserved_for_it(journal: Journal) -> None:
    study = Scope("the study")
    rules = [main_agent('```python\nreturn ask("solver", "a")\n```'), sub_agent(Reply("7 and", cut_after=1))]
    rules += [sub_agent("7"), main_agent("<answer>7</answer>")]
    async with LoopbackServer(ScriptedModel(*rules)) as server:
        options = {"model": server.endpoint("main"), "agent_model": server.endpoint("agent"), "within": study}
        result = await solve(TASK, pool=POOL, journal=journal, prompt="compact", **options)
    assert (result.status, result.calls, result.agent_usage.known) == ("answered", 1, False)
    assert (study.unmetered, study.reserved) == (1, Amount())
    assert study.unknown.tokens > Sampling().max_tokens


async def test_an_agent_without_a_model_counts_and_costs_nothing(journal: Journal) -> None:
    searcher = SubAgent(name="searcher", description="searches", model="none", reply_through="search")
    task = Task(question="Who?", context="Nolan directed Inception.\n\nScott directed Alien.")
    budget = Budget(usd=Decimal(0), tokens=0, calls=1)
    program = 'return ask("searcher", "Alien")'
    result = await run_program(program, task, pool=Pool([searcher]), journal=journal, budget=budget)
    assert "Scott" in (result.answer or "")
    assert (result.calls, result.usd) == (1, Decimal(0))
