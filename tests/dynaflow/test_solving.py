"""The main agent's loop end to end: the real sandbox, Flow, journal and HTTP; only the models are scripted."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from rich.console import Console

from dynaflow import Budget, Event, Journal, Result, Task, run_program, solve, stream
from dynaflow.testing import (
    LoopbackServer,
    Rule,
    ScriptedModel,
    anyone,
    faults,
    in_any_order,
    main_agent,
    sub_agent,
    tool_call,
)
from dynaflow.testing.script import AnyOrder
from dynaflow.trace import render_trace
from subagents import Endpoints, EndpointSpec, EndpointUnknown, Pool, SubAgent

pytestmark = pytest.mark.anyio
TASK = Task(question="How much is 3 + 4?", answer_format="a number")
POOL = Pool([SubAgent(name="solver", description="solves"), SubAgent(name="verifier", description="checks")])


def fenced(program: str) -> str:
    return f"I will ask.\n\n```python\n{program}\n```"


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as opened:
        yield opened


async def solved(journal: Journal, *steps: Rule | AnyOrder, **options: object) -> tuple[Result, list[Event]]:
    seen: list[Event] = []
    async with LoopbackServer(ScriptedModel(*steps)) as server:
        defaults = {"mode": "forced", "pool": POOL, "prompt": "compact", "agent_model": server.endpoint("agent")}
        result = await solve(
            TASK, model=server.endpoint("main"), journal=journal, observe=seen.append, **{**defaults, **options}
        )
    kept = [event for event in seen if event.type != "TextStreamed"]
    assert journal.events(result.run) == kept
    assert kept[0].type == "RunStarted"
    assert kept[-1].type == "RunFinished"
    return result, kept


def types(events: list[Event]) -> list[str]:
    return [event.type for event in events]


async def test_direct_answer(journal: Journal) -> None:
    result, events = await solved(journal, main_agent("3 + 4 is 7.\n<answer>7</answer>"), mode="direct")
    assert (result.status, result.answer, result.calls) == ("answered", "7", 0)
    assert types(events) == ["RunStarted", "TurnStarted", "ModelCalled", "Answered", "RunFinished"]


async def test_an_answer_without_a_tag_is_the_whole_text(journal: Journal) -> None:
    result, _ = await solved(journal, main_agent("7"), mode="dynamic")
    assert (result.status, result.answer) == ("answered", "7")


async def test_a_workflow_and_then_the_answer(journal: Journal) -> None:
    program = 'a, b = [ask("solver", q) for q in ("first", "second")]\ncheck = ask("verifier", "ok?", inputs={"a": a, "b": b})\nreturn [a, check]'
    result, events = await solved(
        journal,
        main_agent(fenced(program)),
        in_any_order(sub_agent("one", user="first"), sub_agent("two", user="second")),
        sub_agent("fine", user="ok?"),
        main_agent("<answer>7</answer>", user="fine"),
    )
    assert (result.status, result.calls, result.delivered) == ("answered", 3, 3)
    third = next(e for e in events if e.type == "CallStarted" and e.call == 3)
    assert {(source.path, source.call) for source in third.sources} == {(("a",), 1), (("b",), 2)}
    assert types(events).count("CallFinished") == 3
    assert result.main_usage.total > 0
    assert result.agent_usage.total > 0


async def test_a_program_arrives_as_a_tool_call(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = (
        main_agent(tool_call("run_workflow", program='return ask("solver", "q")')),
        sub_agent("7"),
        main_agent("<answer>7</answer>", when=lambda request: request.messages[-1].role == "tool"),
    )
    async with LoopbackServer(ScriptedModel(*steps)) as server:
        original = Endpoints.open

        async def with_tools(self: Endpoints, text: str) -> object:
            endpoint = await original(self, text)
            endpoint.supports_tools = True
            return endpoint

        monkeypatch.setattr(Endpoints, "open", with_tools)
        result = await solve(
            TASK,
            mode="forced",
            model=server.endpoint("main"),
            agent_model=server.endpoint("agent"),
            pool=POOL,
            journal=journal,
        )
    assert (result.status, result.answer) == ("answered", "7")


async def test_a_finding_costs_the_turn_but_no_call(journal: Journal) -> None:
    result, events = await solved(
        journal,
        main_agent(fenced('return ask("solvr", "q")')),
        main_agent(fenced('return ask("solver", "q")'), user="solvr"),
        sub_agent("7"),
        main_agent("<answer>7</answer>"),
    )
    assert (result.status, result.calls) == ("answered", 1)
    checks = [event for event in events if event.type == "ProgramChecked"]
    assert [bool(check.findings) for check in checks] == [True, False]


async def test_a_failing_program_is_fed_back_with_its_line(journal: Journal) -> None:
    result, events = await solved(
        journal,
        main_agent(fenced('x = ask("solver", "q")\nreturn int(x) / 0')),
        sub_agent("7"),
        main_agent(fenced('return ask("solver", "q")'), user="ZeroDivisionError"),
        sub_agent("7"),
        main_agent("<answer>7</answer>"),
    )
    failed = next(e for e in events if e.type == "WorkflowFinished")
    assert (failed.status, failed.error, failed.line) == ("failed", "WorkflowRuntimeError", 2)
    assert result.status == "answered"


async def test_a_program_that_asks_nobody_after_a_delivery_is_the_answer(journal: Journal) -> None:
    result, _ = await solved(
        journal, main_agent(fenced('return ask("solver", "q")')), sub_agent("it is 7"), main_agent(fenced('return "7"'))
    )
    assert (result.status, result.answer) == ("answered", "7")


async def test_an_answer_beside_a_program_that_has_run_is_taken(journal: Journal) -> None:
    program = fenced('return ask("solver", "q")')
    result, _ = await solved(journal, main_agent(program), sub_agent("7"), main_agent(f"{program}\n<answer>7</answer>"))
    assert (result.status, result.answer, result.calls) == ("answered", "7", 1)


async def test_the_same_program_again_is_not_run_again(journal: Journal) -> None:
    program = fenced('return ask("solver", "q")')
    result, events = await solved(
        journal, main_agent(program), sub_agent("7"), main_agent(program), main_agent(program, user="has run already")
    )
    assert (result.status, result.answer, result.calls) == ("answered", "7", 1)
    assert types(events).count("WorkflowStarted") == 1


async def test_forced_mode_insists_on_a_workflow(journal: Journal) -> None:
    result, _ = await solved(
        journal,
        main_agent("<answer>7</answer>"),
        main_agent(fenced('return ask("solver", "q")')),
        sub_agent("7"),
        main_agent("<answer>7</answer>"),
    )
    assert (result.status, result.delivered) == ("answered", 1)


async def test_a_model_that_never_writes_a_program_ends_without_an_answer(journal: Journal) -> None:
    result, _ = await solved(journal, main_agent("<answer>7</answer>", times=3), budget=Budget(turns=3))
    assert (result.status, result.answer) == ("no_answer", None)
    assert "3 turns" in (result.reason or "")


async def test_failed_calls_make_an_answer_degraded(journal: Journal) -> None:
    program = (
        'try:\n    x = ask("solver", "q").strip()\nexcept CallFailed:\n    x = ask("verifier", "instead")\nreturn x'
    )
    result, _ = await solved(
        journal,
        main_agent(fenced(program)),
        sub_agent(faults.blank(), user="q", times=2),
        sub_agent("7", user="instead"),
        main_agent("<answer>7</answer>"),
    )
    assert (result.status, result.failures) == ("degraded", {"EmptyReply": 1})
    assert "1 EmptyReply" in (result.reason or "")


async def test_a_fan_out_over_the_budget_is_refused_whole(journal: Journal) -> None:
    program = 'outs = gather(*[ask("solver", str(i)) for i in range(9)], on_error="return")\nreturn [type(o).__name__ for o in outs]'
    async with LoopbackServer(ScriptedModel(anyone("x"))) as server:
        result = await run_program(
            program, TASK, agent_model=server.endpoint("agent"), pool=POOL, journal=journal, budget=Budget(calls=8)
        )
        assert server.received == 0
    assert result.failures == {"BudgetExceeded": 9}
    assert result.answer == str(["BudgetExceeded"] * 9).replace("'", '"')
    assert result.calls == 0


async def test_an_endpoint_that_dies_fails_the_run(journal: Journal) -> None:
    result, _ = await solved(journal, main_agent(faults.status(401)))
    assert result.status == "failed"
    assert "401" in (result.reason or "")


async def test_a_task_over_the_window_says_the_way_out(journal: Journal) -> None:
    result, _ = await solved(journal, main_agent(faults.context_overflow("llama.cpp")))
    assert result.status == "failed"
    assert "corpus" in (result.reason or "")


async def test_a_cut_off_message_goes_back_to_the_model(journal: Journal) -> None:
    result, events = await solved(
        journal, main_agent(faults.truncated()), main_agent("<answer>7</answer>", user="cut off"), mode="direct"
    )
    assert result.status == "answered"
    assert [e.finish_reason for e in events if e.type == "ModelCalled"] == ["length", "stop"]


async def test_token_budget_ends_the_run(journal: Journal) -> None:
    result, _ = await solved(journal, main_agent("```python\nreturn 1\n```", times=None), budget=Budget(tokens=100))
    assert result.status == "no_answer"
    assert "100 tokens" in (result.reason or "")


async def test_seconds_budget_ends_the_run(journal: Journal) -> None:
    result, events = await solved(
        journal,
        main_agent(fenced('return ask("solver", "q")')),
        sub_agent(faults.stalled("x")),
        budget=Budget(seconds=1.0),
    )
    assert result.status == "no_answer"
    assert [e.status for e in events if e.type == "CallFinished"] == ["cancelled"]


async def test_an_unapproved_program_does_not_run(journal: Journal) -> None:
    async def refuse(program: str) -> bool:
        return False

    result, events = await solved(journal, main_agent(fenced('return ask("solver", "q")')), approve=refuse)
    assert (result.status, result.calls) == ("no_answer", 0)
    assert "WorkflowStarted" not in types(events)


async def test_equal_calls_are_sampled_with_different_seeds(journal: Journal) -> None:
    async with LoopbackServer(ScriptedModel(anyone("7"))) as server:
        program = 'return [ask("solver", "same") for _ in range(3)]'
        for _ in range(2):
            await run_program(program, TASK, agent_model=server.endpoint("agent"), pool=POOL, journal=journal, seed=5)
        sampled = [(served.request.seed, served.request.temperature) for served in server.log]
    assert len({seed for seed, _ in sampled[:3]}) == 3
    assert sorted(sampled[:3]) == sorted(sampled[3:])
    assert sorted(temperature for _, temperature in sampled[:3]) == [0.0, 0.7, 0.7]


async def test_leaving_the_stream_early_interrupts_the_run(journal: Journal) -> None:
    async with LoopbackServer(ScriptedModel(main_agent(faults.stalled("thinking"), times=1))) as server:
        async with stream(TASK, model=server.endpoint("main"), pool=POOL, journal=journal) as events:
            async for event in events:
                if event.type == "TurnStarted":
                    break
        await anyio.lowlevel.checkpoint()
    (summary,) = journal.runs()
    assert summary.status == "interrupted"


async def test_bad_set_up_is_said_before_anything_is_journalled(journal: Journal) -> None:
    with pytest.raises(EndpointUnknown, match="cannot be read"):
        await solve(TASK, model="nonsense", pool=POOL, journal=journal)
    with pytest.raises(EndpointUnknown, match="cannot be reached"):
        await solve(TASK, model="http://127.0.0.1:9/v1#m", pool=POOL, journal=journal)
    assert journal.runs() == []


async def test_a_call_goes_on_with_its_fall_back_on_endpoints_that_stay_open(journal: Journal) -> None:
    fallback = {"model": "spare"}
    rules = (
        sub_agent(faults.status(401), model="agent", times=2),
        sub_agent("7", model="spare", times=2),
    )
    async with LoopbackServer(ScriptedModel(in_any_order(*rules))) as server, Endpoints() as endpoints:
        solver = SubAgent.model_validate({"name": "solver", "description": "solves", "fallback": fallback})
        server.models = ["agent", "spare"]
        pool = Pool([solver], {"spare": EndpointSpec(address=server.endpoint("spare"))})
        for _ in range(2):
            seen: list[Event] = []
            result = await run_program(
                'return ask("solver", "q")', TASK, agent_model=server.endpoint("agent"), pool=pool, journal=journal,
                endpoints=endpoints, observe=seen.append,
            )  # fmt: skip
            assert result.answer == "7"
            (switched,) = [event.switch for event in seen if event.type == "ModelSwitched"]
            assert (switched.cause, switched.to_endpoint) == ("AgentUnavailable", server.endpoint("spare"))
            assert types(seen).count("CallFinished") == 1
    told = Console(file=io.StringIO(), width=200)
    told.print(render_trace(journal.events(result.run), full=False))
    assert "goes on with the fall-back at http" in told.file.getvalue()
