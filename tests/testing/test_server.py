"""The loopback server as the real openai client sees it: replies, streams, usage, tools, models, counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anyio
import openai
import pytest
from pydantic import BaseModel

from dynaflow.testing import (
    LoopbackServer,
    Reply,
    ScriptedModel,
    ToolCall,
    anyone,
    count_tokens,
    echo,
    main_agent,
    serve,
    sub_agent,
    tool_call,
)

if TYPE_CHECKING:
    from tests.testing.conftest import Connect

pytestmark = pytest.mark.anyio

HELLO: list[Any] = [{"role": "user", "content": "hello"}]
TOOLS: list[Any] = [{"type": "function", "function": {"name": "run_workflow", "parameters": {"type": "object"}}}]
SCHEMA: Any = {"type": "json_schema", "json_schema": {"name": "r", "schema": {"type": "integer"}}}


async def streamed(client: openai.AsyncOpenAI, **more: Any) -> list[Any]:
    request = {"model": "main", "messages": HELLO, "stream_options": {"include_usage": True}, **more}
    async with await client.chat.completions.create(stream=True, **request) as stream:
        return [chunk async for chunk in stream]


def text_of(chunks: list[Any]) -> str:
    return "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)


async def test_a_stream_comes_in_several_chunks_and_ends_with_usage(connect: Connect) -> None:
    text = "Twelve pens, für 8 € – 答え"
    async with LoopbackServer(ScriptedModel(main_agent(text))) as server:
        chunks = await streamed(connect(server), seed=5, temperature=0.0)
    assert text_of(chunks) == text
    assert sum(bool(choice.delta.content) for chunk in chunks for choice in chunk.choices) == 4
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].choices == []
    assert chunks[-1].usage.prompt_tokens == server.prompt_tokens == count_tokens("hello") == 2
    assert chunks[-1].usage.completion_tokens == server.completion_tokens == count_tokens(text)
    (served,) = server.log
    assert (served.request.seed, served.request.temperature, served.request.user) == (5, 0.0, "hello")
    assert (served.status, served.outcome, served.number) == (200, "answered", 1)
    assert served.headers["authorization"] == "Bearer test"
    assert served.received <= (served.first_byte or 0) <= (served.finished or 0)


async def test_a_stream_tells_usage_only_when_asked(connect: Connect) -> None:
    async with LoopbackServer(ScriptedModel(main_agent("hi"))) as server:
        chunks = await streamed(connect(server), stream_options=openai.omit)
    assert all(chunk.usage is None for chunk in chunks)
    assert server.prompt_tokens == server.completion_tokens == 0


async def test_a_plain_reply(connect: Connect) -> None:
    reply = Reply("hi", reasoning="let me see")
    async with LoopbackServer(ScriptedModel(main_agent(reply))) as server:
        whole = await connect(server).chat.completions.create(model="main", messages=HELLO)
    assert whole.choices[0].message.content == "hi"
    assert (whole.choices[0].message.model_extra or {})["reasoning_content"] == "let me see"
    assert whole.choices[0].finish_reason == "stop"
    assert whole.usage is not None
    assert whole.usage.total_tokens == 2 + 1 + 3


async def test_tool_calls_are_streamed_in_pieces_and_come_plain(connect: Connect) -> None:
    async with LoopbackServer(
        ScriptedModel(main_agent(tool_call("run_workflow", program="return 1"), times=2))
    ) as server:
        client = connect(server)
        async with client.chat.completions.stream(model="main", messages=HELLO, tools=TOOLS) as stream:
            joined = (await stream.get_final_completion()).choices[0]
        plain = (await client.chat.completions.create(model="main", messages=HELLO, tools=TOOLS)).choices[0]
    for choice in (joined, plain):
        assert choice.finish_reason == "tool_calls"
        assert choice.message.tool_calls is not None
        (call,) = choice.message.tool_calls
        assert call.type == "function"
        assert call.id == "call_1"
        assert call.function.name == "run_workflow"
        assert json.loads(call.function.arguments) == {"program": "return 1"}
    assert server.log[0].request.tool_names == ("run_workflow",)


async def test_two_tool_calls_beside_text_and_malformed_arguments(connect: Connect) -> None:
    calls = (ToolCall("search", '{"q": "a"'), ToolCall("search", "", id="mine"))
    async with LoopbackServer(ScriptedModel(main_agent(Reply("Looking.", tool_calls=calls)))) as server:
        chunks = await streamed(connect(server))
    pieces = [call for chunk in chunks for choice in chunk.choices for call in choice.delta.tool_calls or ()]
    assert text_of(chunks) == "Looking."
    assert [piece.id for piece in pieces if piece.id] == ["call_1", "mine"]
    assert "".join(piece.function.arguments for piece in pieces if piece.index == 0) == '{"q": "a"'


async def test_a_schema_reaches_the_script_or_is_refused(connect: Connect) -> None:
    script = ScriptedModel(main_agent(lambda seen: json.dumps(seen.json_schema)))
    async with LoopbackServer(script) as server:
        whole = await connect(server).chat.completions.create(model="main", messages=HELLO, response_format=SCHEMA)
    assert whole.choices[0].message.content == '{"type": "integer"}'
    async with LoopbackServer(ScriptedModel(main_agent("7")), refuses=["json_schema", "tools"]) as server:
        client = connect(server)
        with pytest.raises(openai.BadRequestError, match="json_schema"):
            await streamed(client, response_format=SCHEMA)
        with pytest.raises(openai.BadRequestError, match="tools"):
            await streamed(client, tools=TOOLS)
        assert text_of(await streamed(client)) == "7"
    assert [served.outcome for served in server.log] == ["error", "error", "answered"]


async def test_models_tell_their_context_in_the_servers_manner(connect: Connect) -> None:
    async def listed(**options: Any) -> list[dict[str, Any]]:
        async with LoopbackServer(ScriptedModel(), **options) as server:
            return [model.model_dump() async for model in connect(server).models.list()]

    assert [model["id"] for model in await listed()] == ["main", "agent"]
    assert (await listed(style="llama.cpp", context=2048))[0]["meta"]["n_ctx"] == 2048
    assert (await listed(style="vllm", context=2048, models=["base"]))[0]["max_model_len"] == 2048


async def test_a_model_that_is_not_served_is_not_found(connect: Connect) -> None:
    async with LoopbackServer(ScriptedModel(), models=["base"]) as server:
        with pytest.raises(openai.NotFoundError, match="The model `main` does not exist"):
            await streamed(connect(server))


async def test_a_body_that_is_no_chat_request_is_refused(connect: Connect) -> None:
    async with LoopbackServer(ScriptedModel()) as server:
        with pytest.raises(openai.BadRequestError, match="not a chat request"):
            await connect(server).chat.completions.create(model="main", messages=[])
    assert server.received == 0


async def test_an_unmatched_request_gets_500_and_fails_the_block(connect: Connect) -> None:
    server = LoopbackServer(ScriptedModel(sub_agent("x", times=None)))
    await server.__aenter__()
    with pytest.raises(openai.InternalServerError, match="No rule of the script") as caught:
        await streamed(connect(server))
    assert caught.value.response.headers["x-should-retry"] == "false"
    with pytest.raises(AssertionError, match="no rule answers the request: model='main', user='hello'"):
        await server.__aexit__(None, None, None)


async def test_a_block_that_fails_over_an_unmatched_request_is_told_why(connect: Connect) -> None:
    async def block() -> None:
        async with LoopbackServer(ScriptedModel(sub_agent("x", times=None))) as server:
            await streamed(connect(server))

    with pytest.raises(openai.InternalServerError) as caught:
        await block()
    assert "no rule answers the request: model='main', user='hello'" in caught.value.__notes__[0]


async def test_an_unused_rule_fails_the_block() -> None:
    with pytest.raises(AssertionError, match="rule 1 was used 0 of 1 times: main agent"):
        async with LoopbackServer(ScriptedModel(main_agent("never"))):
            pass


async def test_two_hundred_streams_at_once(connect: Connect) -> None:
    with anyio.fail_after(60):
        async with LoopbackServer(ScriptedModel(anyone(echo, times=200)), latency=0.2) as server:
            client, texts = connect(server), set[str]()

            async def ask(seed: int) -> None:
                texts.add(text_of(await streamed(client, seed=seed)))

            async with anyio.create_task_group() as tasks:
                for seed in range(200):
                    tasks.start_soon(ask, seed)
    assert len(texts) == 200
    assert (server.received, server.in_flight, server.cancelled) == (200, 0, 0)
    assert len({served.number for served in server.log}) == 200


async def test_latency_may_depend_on_the_request(connect: Connect) -> None:
    latencies = {"slow": 0.2, "fast": 0.0}
    async with LoopbackServer(ScriptedModel(anyone(echo)), latency=lambda seen: latencies[seen.model]) as server:
        for model in latencies:
            await streamed(connect(server), model=model)
    for served in server.log:
        assert served.first_byte is not None
        assert served.first_byte - served.received >= latencies[served.request.model]


async def test_echo_is_deterministic_and_fits_a_schema(connect: Connect) -> None:
    class Inner(BaseModel):
        verdict: str
        score: int

    class Shape(BaseModel):
        right: bool
        inner: Inner
        items: list[Inner]
        maybe: float | None

    async with LoopbackServer(ScriptedModel(anyone(echo))) as server:
        client = connect(server)
        texts = [text_of(await streamed(client, seed=seed)) for seed in (1, 1, 2)]
        parsed = await client.chat.completions.parse(model="main", messages=HELLO, response_format=Shape)
    assert texts[0] == texts[1] != texts[2]
    assert texts[0].endswith(": hello")
    shape = parsed.choices[0].message.parsed
    assert shape is not None
    assert shape.inner.verdict.startswith("echo ")


def test_a_server_for_code_without_a_loop() -> None:
    with serve(ScriptedModel(main_agent("hi")), style="vllm", context=512) as server:
        assert server.endpoint() == f"{server.base_url}#main"
        with openai.OpenAI(base_url=server.base_url, api_key="test", max_retries=0) as client:
            whole = client.chat.completions.create(model="main", messages=HELLO)
            assert whole.choices[0].message.content == "hi"
            assert next(iter(client.models.list())).model_dump()["max_model_len"] == 512
    with pytest.raises(RuntimeError, match="not started"):
        _ = server.base_url
    with pytest.raises(AssertionError, match="rule 1"), serve(ScriptedModel(main_agent("hi"))):
        pass
