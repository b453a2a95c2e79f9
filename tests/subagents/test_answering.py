"""One call from start to end against a real server: text, shapes, reasoning first, repairs, tools, limits."""

from __future__ import annotations

import anyio
import pytest
from pydantic import JsonValue

from dynaflow.testing import LoopbackServer, Reply, ScriptedModel, faults, sub_agent
from subagents import (
    AgentUnavailable,
    CallFailed,
    CallTimeout,
    Corpus,
    EmptyReply,
    Exchange,
    Passage,
    Sampling,
    SchemaMismatch,
    SubAgent,
    ToolFailed,
    ToolResult,
    answer,
    search_tool,
)
from tests.subagents.calls import Seen, called, record

pytestmark = pytest.mark.anyio

SOLVER = SubAgent(name="solver", description="solves", instructions="You solve.")
THINKER = SOLVER.model_copy(update={"reason_first": True, "sampling": Sampling(temperature=0.5)})
CODER = SubAgent(name="coder", description="codes", reply_through="python")
SEARCHER = SubAgent(name="searcher", description="searches", model="none", reply_through="search")
VERDICT = record(verdict=["yes", "no"], why="str")


class Interpreter:
    """A tool with the programs it knows; every other one fails."""

    name = "python"
    description = "runs programs"

    def __init__(self, **results: str) -> None:
        self._results = results

    async def __call__(self, text: str) -> ToolResult:
        if text not in self._results:
            raise ToolFailed(f"NameError: {text!r}")
        return ToolResult(self._results[text])


async def test_text_comes_stripped_with_its_usage() -> None:
    seen = Seen()
    script = ScriptedModel(sub_agent(" 12 dollars\n", system="You solve.", user="How much?"))
    async with LoopbackServer(script) as server:
        reply = await called(server, SOLVER, Exchange(instruction="How much?"), seen, seed=7)
    assert (reply.value, reply.text) == ("12 dollars", "12 dollars")
    assert reply.usage == seen.usage
    assert reply.usage.prompt == server.prompt_tokens > 0
    request = server.log[0].request
    assert (request.seed, request.temperature, request.stream, request.max_tokens) == (7, 0.0, True, 1024)


async def test_a_seed_of_the_agents_own_goes_first() -> None:
    own = SOLVER.model_copy(update={"sampling": Sampling(seed=3, top_p=0.9)})
    async with LoopbackServer(ScriptedModel(sub_agent("x"))) as server:
        await called(server, own, Exchange(instruction="?"), seed=7)
    assert server.log[0].request.seed == 3
    assert (server.log[0].request.model_extra or {})["top_p"] == 0.9


async def test_a_shape_goes_to_the_server_and_into_the_prompt() -> None:
    async with LoopbackServer(ScriptedModel(sub_agent({"verdict": "yes", "why": "sums"}))) as server:
        reply = await called(server, SOLVER, Exchange(instruction="Right?", shape=VERDICT))
    assert reply.value == {"verdict": "yes", "why": "sums"}
    request = server.log[0].request
    assert request.json_schema is not None
    assert request.json_schema["required"] == ["verdict", "why"]
    assert request.user == 'Right?\n\nReply with JSON only: {"verdict": "yes" | "no", "why": text}'


async def test_reasoning_comes_first_and_without_a_schema() -> None:
    script = ScriptedModel(
        sub_agent("3 x 4 = 12, so yes.", when=lambda seen: seen.json_schema is None),
        sub_agent(
            {"verdict": "yes", "why": "12"},
            user="Now write what you found above as JSON only",
            when=lambda r: bool(r.json_schema),
        ),
    )
    seen = Seen()
    async with LoopbackServer(script) as server:
        reply = await called(server, THINKER, Exchange(instruction="Right?", shape=VERDICT), seen)
    first, second = (served.request for served in server.log)
    assert first.user == "Right?"
    assert [message.role for message in second.messages] == ["system", "user", "assistant", "user"]
    assert (first.temperature, second.temperature) == (0.5, 0.0)
    assert reply.text == '3 x 4 = 12, so yes.\n\n{"verdict": "yes", "why": "12"}'
    assert len(seen.attempts) == 2
    assert reply.usage == seen.usage


async def test_a_server_without_schemas_is_asked_without_from_then_on() -> None:
    seen = Seen()
    script = ScriptedModel(sub_agent('```json\n{"value": 3}\n```'), sub_agent("4"))
    async with LoopbackServer(script, refuses=["json_schema"]) as server:
        from subagents import Endpoints

        async with Endpoints() as endpoints:
            endpoint = await endpoints.open(server.endpoint("agent"))
            values = [
                (
                    await answer(
                        SOLVER,
                        Exchange(instruction="?", shape={"kind": "int"}),
                        endpoint=endpoint,
                        tools={},
                        observer=seen,
                    )
                ).value
                for _ in range(2)
            ]
    assert values == [3, 4]
    assert seen.causes == ["request", None, None]
    assert [served.request.json_schema is None for served in server.log] == [False, True, True]


async def test_a_reply_that_does_not_fit_is_sent_back_once() -> None:
    seen = Seen()
    script = ScriptedModel(
        sub_agent({"verdict": "maybe", "why": "?"}),
        sub_agent({"verdict": "no", "why": "!"}, user="That reply cannot be used: verdict:"),
    )
    async with LoopbackServer(script) as server:
        reply = await called(server, SOLVER, Exchange(instruction="Right?", shape=VERDICT), seen)
    assert reply.value == {"verdict": "no", "why": "!"}
    ((how, problem, before),) = seen.repairs
    assert how == "asked"
    assert "'yes' or 'no'" in problem
    assert "maybe" in before


async def test_a_second_misfit_is_a_failure_that_shows_its_cost() -> None:
    seen = Seen()
    async with LoopbackServer(ScriptedModel(sub_agent("I would rather not.", times=2))) as server:
        with pytest.raises(SchemaMismatch, match="'solver' did not reply with whole number") as failure:
            await called(server, SOLVER, Exchange(instruction="?", shape={"kind": "int"}), seen)
    assert failure.value.cause == "shape"
    assert seen.usage.completion == server.completion_tokens > 0


async def test_malformed_json_is_repaired_and_told() -> None:
    seen = Seen()
    broken = "Sure!\n{'verdict': 'yes', 'why': 'it adds up'"
    async with LoopbackServer(ScriptedModel(sub_agent(broken))) as server:
        reply = await called(server, SOLVER, Exchange(instruction="?", shape=VERDICT), seen)
    assert reply.value == {"verdict": "yes", "why": "it adds up"}
    assert seen.repairs == [("json", "the JSON was malformed", broken)]


@pytest.mark.parametrize(
    ("fault", "cause", "requests"),
    [(faults.blank("  \n"), "blank", 2), (faults.truncated(), "length", 1), (faults.refused(), "refused", 1)],
)
async def test_a_reply_that_says_nothing_is_a_failure(fault: Reply, cause: str, requests: int) -> None:
    seen = Seen()
    async with LoopbackServer(ScriptedModel(sub_agent(fault, times=requests))) as server:
        with pytest.raises(EmptyReply) as failure:
            await called(server, SOLVER, Exchange(instruction="?"), seen)
    assert failure.value.cause == cause
    assert seen.causes == [cause] * requests


async def test_a_long_reply_is_a_failure() -> None:
    short = SOLVER.model_copy(update={"max_reply_chars": 5})
    async with LoopbackServer(ScriptedModel(sub_agent("123456"))) as server:
        with pytest.raises(EmptyReply, match="more than 5 characters"):
            await called(server, short, Exchange(instruction="?"))


async def test_the_time_is_that_of_the_whole_call() -> None:
    seen = Seen()
    hasty = SOLVER.model_copy(update={"timeout": 0.3})
    async with LoopbackServer(ScriptedModel(sub_agent(faults.stalled(after=1)))) as server:
        with pytest.raises(CallTimeout) as failure:
            await called(server, hasty, Exchange(instruction="?"), seen)
        await server.until_idle()
    assert failure.value.cause == "timeout"
    assert seen.causes == ["timeout"]
    assert not seen.usage.known
    assert server.cancelled == 1


async def test_a_cancelled_call_leaves_its_record_and_the_server() -> None:
    seen = Seen()
    async with LoopbackServer(ScriptedModel(sub_agent(faults.stalled(after=1)))) as server:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(called, server, SOLVER, Exchange(instruction="?"), seen)
            await server.until_received(1)
            tasks.cancel_scope.cancel()
        await server.until_idle()
    assert seen.causes == ["cancelled"]
    assert server.cancelled == 1


async def test_a_shape_that_is_none_is_a_failure_of_the_call() -> None:
    async with LoopbackServer(ScriptedModel()) as server:
        with pytest.raises(SchemaMismatch, match="the shape is wrong"):
            await called(server, SOLVER, Exchange(instruction="?", shape={"kind": "set"}))


async def test_an_agent_without_its_endpoint() -> None:
    with pytest.raises(AgentUnavailable, match="no endpoint is open"):
        await answer(SOLVER, Exchange(instruction="?"), endpoint=None, tools={}, observer=Seen())


async def test_the_last_code_block_goes_through_the_tool() -> None:
    seen = Seen()
    text = "First ```python\nbad\n``` no, better:\n```python\nprint(12)\n```"
    async with LoopbackServer(
        ScriptedModel(sub_agent(text, user="must print one JSON value and nothing else: whole number"))
    ) as server:
        exchange = Exchange(instruction="?", shape={"kind": "int"})
        reply = await called(server, CODER, exchange, seen, tools={"python": Interpreter(**{"print(12)": "12"})})
    assert reply.value == 12
    assert reply.text.endswith("```\n\n12")
    assert seen.tools == [("python", "print(12)", "12", True)]


async def test_a_failing_program_is_mended_once() -> None:
    seen = Seen()
    script = ScriptedModel(
        sub_agent("```\nprint(x)\n```"), sub_agent("```\nprint(12)\n```", user="The program cannot be used: NameError")
    )
    async with LoopbackServer(script) as server:
        reply = await called(
            server, CODER, Exchange(instruction="?"), seen, tools={"python": Interpreter(**{"print(12)": "12"})}
        )
    assert reply.value == "12"
    assert [ok for *_, ok in seen.tools] == [False, True]
    assert [how for how, *_ in seen.repairs] == ["asked"]


async def test_a_program_that_prints_the_wrong_thing_is_mended_once() -> None:
    script = ScriptedModel(sub_agent("one"), sub_agent("two", user="the result 'none at all' is not whole number"))
    async with LoopbackServer(script) as server:
        tools = {"python": Interpreter(one="none at all", two="2")}
        reply = await called(server, CODER, Exchange(instruction="?", shape={"kind": "int"}), tools=tools)
    assert reply.value == 2


async def test_a_program_that_fails_twice_fails_the_call() -> None:
    async with LoopbackServer(ScriptedModel(sub_agent("oops", times=2))) as server:
        with pytest.raises(CallFailed, match="NameError") as failure:
            await called(server, CODER, Exchange(instruction="?"), tools={"python": Interpreter()})
    assert (failure.value.cause, failure.value.kind) == ("tool", "CallFailed")


CORPUS = Corpus(
    [Passage("12", "Inception", "A film by Christopher Nolan."), Passage("13", "Dune", "A film\n\nby Villeneuve.")]
)


async def searched(shape: JsonValue = None, corpus: Corpus = CORPUS) -> JsonValue:
    exchange = Exchange(instruction="Find: 'director of Inception'", shape=shape)
    reply = await answer(SEARCHER, exchange, endpoint=None, tools={"search": search_tool(corpus)}, observer=Seen())
    return reply.value


async def test_a_program_is_told_what_its_result_should_have_been() -> None:
    seen = Seen()
    script = ScriptedModel(
        sub_agent("a"), sub_agent("b", user="cannot be used: the result 'about twelve' is not whole number")
    )
    async with LoopbackServer(script) as server:
        exchange = Exchange(instruction="?", shape={"kind": "int"})
        with pytest.raises(SchemaMismatch, match="the result 'many' is not whole number"):
            await called(server, CODER, exchange, seen, tools={"python": Interpreter(a="about twelve", b="many")})
    assert [ok for *_, ok in seen.tools] == [True, True]


async def test_a_printed_python_value_is_repaired_and_told() -> None:
    seen = Seen()
    printed = "{'verdict': 'yes', 'why': \"it's so\"}"
    async with LoopbackServer(ScriptedModel(sub_agent("a"))) as server:
        reply = await called(
            server, CODER, Exchange(instruction="?", shape=VERDICT), seen, tools={"python": Interpreter(a=printed)}
        )
    assert reply.value == {"verdict": "yes", "why": "it's so"}
    assert seen.repairs == [("json", "the JSON was malformed", printed)]


async def test_nobody_is_asked_for_a_program_that_could_not_run() -> None:
    async with LoopbackServer(ScriptedModel()) as server:
        with pytest.raises(AgentUnavailable, match="tool 'python', which is not there"):
            await called(server, CODER, Exchange(instruction="?"))


async def test_the_searcher_gives_text_texts_or_data() -> None:
    text = "[12] Inception: A film by Christopher Nolan."
    assert await searched() == text
    assert await searched({"kind": "list", "item": {"kind": "str"}}) == [text]
    data = [{"id": "12", "title": "Inception", "text": "A film by Christopher Nolan."}]
    assert await searched({"kind": "list", "item": record(id="str", title="str", text="str")}) == data
    assert await searched({"kind": "any"}) == data


@pytest.mark.parametrize("shape", [{"kind": "int"}, {"kind": "list", "item": {"kind": "int"}}, record(answer="str")])
async def test_the_searcher_says_what_it_offers(shape: JsonValue) -> None:
    with pytest.raises(SchemaMismatch, match="gives text, a list of texts, or its data, not"):
        await searched(shape)


async def test_an_empty_corpus_fails_the_call() -> None:
    with pytest.raises(CallFailed, match="no documents") as failure:
        await searched(corpus=Corpus([]))
    assert failure.value.cause == "tool"


async def test_a_tool_that_is_not_there() -> None:
    with pytest.raises(AgentUnavailable, match="tool 'search', which is not there"):
        await answer(SEARCHER, Exchange(instruction="?"), endpoint=None, tools={}, observer=Seen())
