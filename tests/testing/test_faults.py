"""Every fault as the real openai client meets it, and the counting of clients that go away."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
import openai
import pytest

from dynaflow.testing import LoopbackServer, ScriptedModel, anyone, faults, main_agent, serve

if TYPE_CHECKING:
    from tests.testing.conftest import Connect

pytestmark = pytest.mark.anyio

REQUEST: dict[str, Any] = {"model": "main", "messages": [{"role": "user", "content": "word " * 100}]}
STREAM: dict[str, Any] = {**REQUEST, "stream": True, "stream_options": {"include_usage": True}}


async def last_choice(client: openai.AsyncOpenAI, *, stream: bool) -> Any:
    if not stream:
        return (await client.chat.completions.create(**REQUEST)).choices[0]
    async with await client.chat.completions.create(**STREAM) as chunks:
        return [chunk.choices[0] async for chunk in chunks if chunk.choices][-1]


async def collect(stream: AsyncIterator[Any], chunks: list[Any]) -> None:
    async for chunk in stream:
        chunks.append(chunk)  # noqa: PERF401 - what came before a cut is wanted


@pytest.mark.parametrize("status", [400, 401, 403, 404, 418, 429, 500, 502, 503])
@pytest.mark.parametrize("stream", [True, False])
async def test_a_status(connect: Connect, status: int, stream: bool) -> None:
    async with LoopbackServer(ScriptedModel(main_agent(faults.status(status, retry_after=0.5)))) as server:
        with pytest.raises(openai.APIStatusError) as caught:
            await last_choice(connect(server), stream=stream)
    assert caught.value.status_code == status
    assert caught.value.response.headers["retry-after"] == "0.5"
    assert isinstance(caught.value.body, dict)
    assert caught.value.body["message"]
    assert (server.log[0].status, server.log[0].outcome) == (status, "error")


async def test_a_status_without_retry_after_and_with_own_words(connect: Connect) -> None:
    async with LoopbackServer(ScriptedModel(main_agent(faults.status(429, message="slow down")))) as server:
        with pytest.raises(openai.RateLimitError, match="slow down") as caught:
            await last_choice(connect(server), stream=True)
    assert "retry-after" not in caught.value.response.headers


@pytest.mark.parametrize("after", [1, 3, 100])
async def test_a_stream_is_cut_after_some_chunks(connect: Connect, after: int) -> None:
    chunks: list[Any] = []
    async with LoopbackServer(ScriptedModel(main_agent(faults.cut("one two three four", after=after)))) as server:
        async with await connect(server).chat.completions.create(**STREAM) as stream:
            with pytest.raises((httpx2.ReadError, openai.APIConnectionError)):
                await collect(stream, chunks)
        await server.until_idle()
    assert len(chunks) == min(after, 7)  # role, four pieces, finish reason, usage
    assert (server.log[0].outcome, server.cancelled, server.completion_tokens) == ("cut", 0, 0)


@pytest.mark.parametrize("stream", [True, False])
async def test_a_reply_is_cut_before_its_first_byte(connect: Connect, stream: bool) -> None:
    async with LoopbackServer(ScriptedModel(main_agent(faults.cut(after=0)))) as server:
        with pytest.raises(openai.APIConnectionError):
            await last_choice(connect(server), stream=stream)
    assert server.log[0].outcome == "cut"


@pytest.mark.parametrize("after", [0, 2])
async def test_a_stalled_stream_whose_client_loses_patience_is_counted(connect: Connect, after: int) -> None:
    async with LoopbackServer(ScriptedModel(main_agent(faults.stalled(after=after)))) as server:
        client = connect(server).with_options(timeout=0.2)
        with pytest.raises((openai.APITimeoutError, httpx2.ReadTimeout, httpx2.TimeoutException)):
            await last_choice(client, stream=True)
        with anyio.fail_after(10):
            await server.until_idle()
    assert (server.cancelled, server.log[0].outcome, server.completion_tokens) == (1, "cancelled", 0)


async def test_a_stream_that_its_client_closes_is_counted(connect: Connect) -> None:
    async with LoopbackServer(ScriptedModel(main_agent(faults.stalled("one two three", after=2), times=3))) as server:
        client = connect(server)
        for _ in range(3):
            async with await client.chat.completions.create(**STREAM) as stream:
                assert (await anext(aiter(stream))).choices[0].delta.role == "assistant"
        with anyio.fail_after(10):
            await server.until_idle()
    assert (server.received, server.cancelled, server.in_flight) == (3, 3, 0)


async def test_a_cancelled_task_during_the_latency_is_counted(connect: Connect) -> None:
    async with LoopbackServer(ScriptedModel(main_agent("late")), latency=600) as server:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: last_choice(connect(server), stream=False))
            await server.until_received(1)
            tasks.cancel_scope.cancel()
        with anyio.fail_after(10):
            await server.until_idle()
    assert server.cancelled == 1


async def test_the_server_stops_at_once_with_many_stalled_streams(connect: Connect) -> None:
    ended: list[Exception] = []

    async def ask(client: openai.AsyncOpenAI) -> None:
        try:
            await last_choice(client, stream=True)
        except (openai.APIError, httpx2.TransportError) as error:
            ended.append(error)

    with anyio.fail_after(60):
        async with (
            anyio.create_task_group() as tasks,
            LoopbackServer(ScriptedModel(anyone(faults.stalled(after=1)))) as server,
        ):
            client = connect(server)
            for _ in range(200):
                tasks.start_soon(ask, client)
            await server.until_received(200)
    assert len(ended) == server.max_in_flight == 200
    assert {served.outcome for served in server.log} == {"stopped"}
    assert (server.cancelled, server.in_flight) == (0, 0)


async def test_a_cancelled_block_stops_its_server_whole(connect: Connect) -> None:
    with anyio.CancelScope() as scope:
        async with (
            LoopbackServer(ScriptedModel(anyone(faults.stalled(after=1)))) as server,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(lambda: last_choice(connect(server), stream=True))
            await server.until_received(1)
            scope.cancel()
            await anyio.sleep_forever()
    assert scope.cancelled_caught
    assert server.in_flight == 0
    with pytest.raises(RuntimeError, match="not started"):
        _ = server.base_url


def test_a_server_in_a_thread_stops_with_a_stalled_stream() -> None:
    with (
        serve(ScriptedModel(main_agent(faults.stalled(after=1)))) as server,
        openai.OpenAI(base_url=server.base_url, api_key="test", max_retries=0) as client,
    ):
        stream = client.chat.completions.create(**STREAM)
        assert next(iter(stream)).choices[0].delta.role == "assistant"
        stream.close()
    assert server.cancelled == 1


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("fault", "finish", "text"),
    [
        (faults.blank(), "stop", ""),
        (faults.blank(" \n"), "stop", " \n"),
        (faults.truncated("half a"), "length", "half a"),
        (faults.filtered(), "content_filter", ""),
        (faults.refused("No."), "stop", ""),
    ],
)
async def test_a_reply_that_is_none(connect: Connect, stream: bool, fault: Any, finish: str, text: str) -> None:
    async with LoopbackServer(ScriptedModel(main_agent(fault))) as server:
        client = connect(server)
        if stream:
            async with client.chat.completions.stream(**REQUEST) as events:
                choice: Any = None
                got, refusal = "", ""
                async for event in events:
                    if event.type == "chunk" and event.chunk.choices:
                        choice = event.chunk.choices[0]
                        got += choice.delta.content or ""
                        refusal += choice.delta.refusal or ""
        else:
            choice = await last_choice(client, stream=False)
            got, refusal = choice.message.content or "", choice.message.refusal or ""
    assert (choice.finish_reason, got, refusal) == (finish, text, fault.refusal)


@pytest.mark.parametrize("stream", [True, False])
async def test_a_reply_without_usage(connect: Connect, stream: bool) -> None:
    async with LoopbackServer(ScriptedModel(main_agent(faults.without_usage("hi")))) as server:
        client = connect(server)
        if stream:
            async with await client.chat.completions.create(**STREAM) as chunks:
                assert [chunk.usage async for chunk in chunks if chunk.usage] == []
        else:
            assert (await client.chat.completions.create(**REQUEST)).usage is None
    assert server.prompt_tokens == 0


async def test_a_context_overflow_in_the_words_of_each_server(connect: Connect) -> None:
    styles: list[faults.Style] = ["openai", "vllm", "llama.cpp"]
    script = ScriptedModel(*(main_agent(faults.context_overflow(style, window=64)) for style in styles))
    bodies: list[dict[str, Any]] = []
    async with LoopbackServer(script) as server:
        for _ in styles:
            with pytest.raises(openai.BadRequestError) as caught:
                await last_choice(connect(server), stream=True)
            assert isinstance(caught.value.body, dict)
            bodies.append(caught.value.body)
    assert bodies[0]["code"] == "context_length_exceeded"
    assert "maximum context length is 64 tokens. However, your messages resulted in 125" in bodies[0]["message"]
    assert "your prompt contains at least 125 input tokens" in bodies[1]["message"]
    assert bodies[2]["message"].startswith("request (125 tokens) exceeds the available context size (64 tokens)")
    assert (bodies[2]["type"], bodies[2]["n_prompt_tokens"], bodies[2]["n_ctx"]) == (
        "exceed_context_size_error",
        125,
        64,
    )


async def test_a_fault_then_a_reply(connect: Connect) -> None:
    script = ScriptedModel(main_agent(faults.status(503)), main_agent(faults.cut(after=1)), main_agent("well"))
    async with LoopbackServer(script) as server:
        client = connect(server)
        with pytest.raises(openai.InternalServerError):
            await last_choice(client, stream=True)
        with pytest.raises((httpx2.ReadError, openai.APIConnectionError)):
            await last_choice(client, stream=True)
        assert (await last_choice(client, stream=False)).message.content == "well"
    assert [served.outcome for served in server.log] == ["error", "cut", "answered"]
