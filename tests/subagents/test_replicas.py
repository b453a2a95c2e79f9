"""Several replicas of one model: who is asked, who is left alone, and changes while requests are under way."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import anyio
import pytest
from aiohttp import web

from dynaflow.testing import LoopbackServer, ScriptedModel, anyone, faults, sub_agent
from subagents import (
    AgentUnavailable,
    Attempt,
    AttemptFailed,
    CallTimeout,
    ChatReply,
    ChatRequest,
    Endpoint,
    Endpoints,
    EndpointSpec,
    EndpointUnknown,
    Message,
    Retries,
    ToolSpec,
    chat,
)
from subagents.breaker import IN_A_ROW
from tests.subagents.raw_server import events, raw_server

pytestmark = pytest.mark.anyio

ASKED = ChatRequest(messages=(Message(role="user", content="How much?"),))
NOBODY = "http://127.0.0.1:9/v1"


@asynccontextmanager
async def two(*, latency: float = 0.0) -> AsyncIterator[tuple[LoopbackServer, LoopbackServer, Endpoint]]:
    """An endpoint with two replicas that answer anything."""
    async with (
        LoopbackServer(ScriptedModel(anyone("a")), latency=latency) as a,
        LoopbackServer(ScriptedModel(anyone("b")), latency=latency) as b,
        Endpoints() as endpoints,
    ):
        yield a, b, await endpoints.open(f"{a.base_url},{b.base_url}#agent")


async def asked(endpoint: Endpoint, attempts: list[Attempt], timeout: float = 30.0, retries: int = 3) -> ChatReply:
    async def keep(attempt: Attempt) -> None:
        attempts.append(attempt)

    return await chat(endpoint, ASKED, timeout=timeout, on_attempt=keep, retries=Retries(retries))


async def test_requests_go_where_the_fewest_are_outstanding() -> None:
    async with two(latency=0.2) as (a, b, endpoint), anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(partial(endpoint.chat, ASKED, timeout=10))
        await a.until_received(5)
        await b.until_received(5)
    assert (a.max_in_flight, b.max_in_flight) == (5, 5)


async def test_idle_replicas_take_turns() -> None:
    async with two() as (_, _, endpoint):
        assert [(await endpoint.chat(ASKED, timeout=10)).text for _ in range(4)] == ["a", "b", "a", "b"]


async def test_what_failed_at_one_replica_is_asked_of_another_at_once() -> None:
    attempts: list[Attempt] = []
    async with (
        LoopbackServer(ScriptedModel(sub_agent(faults.status(429, retry_after=25)))) as a,
        LoopbackServer(ScriptedModel(sub_agent("b"))) as b,
        Endpoints() as endpoints,
    ):
        endpoint = await endpoints.open(f"{a.base_url},{b.base_url}#agent")
        assert (await asked(endpoint, attempts)).text == "b"
        names = [a.endpoint("agent"), b.endpoint("agent")]
    assert [(attempt.endpoint, attempt.cause, attempt.retry_after) for attempt in attempts] == [
        (names[0], "429", 0.0),
        (names[1], None, None),
    ]


async def test_a_replica_that_is_away_is_left_alone_and_alone_refused() -> None:
    async with LoopbackServer(ScriptedModel(anyone("a"))) as a, Endpoints() as endpoints:
        endpoint = await endpoints.open(f"{NOBODY},{a.base_url}#agent")
        attempts: list[Attempt] = []
        for _ in range(3):
            await asked(endpoint, attempts)
        assert {attempt.endpoint for attempt in attempts} == {a.endpoint("agent")}
        with pytest.raises(EndpointUnknown, match="cannot be reached"):
            await endpoints.open(f"{NOBODY}#agent")


async def test_an_open_breaker_fails_calls_at_once_and_closes_after_a_probe() -> None:
    status = faults.status(500)
    async with (
        LoopbackServer(ScriptedModel(sub_agent(status, times=IN_A_ROW), sub_agent("12", times=2))) as server,
        Endpoints() as endpoints,
    ):
        endpoint = await endpoints.open(server.endpoint("agent"))
        for _ in range(IN_A_ROW):
            with pytest.raises(AttemptFailed, match="500"):
                await endpoint.chat(ASKED, timeout=10)
        attempts: list[Attempt] = []
        with pytest.raises(
            AgentUnavailable, match=r"since \d\d:\d\d:\d\d UTC .*500.*; the next probe goes in"
        ) as failure:
            await asked(endpoint, attempts)
        assert (failure.value.cause, attempts) == ("open", [])
        breaker = endpoint.replicas[0].upstream.breaker
        await anyio.sleep(breaker.seconds_left)
        assert (await asked(endpoint, attempts)).text == "12"
        assert breaker.state == "closed"
        await asked(endpoint, attempts)


async def test_a_call_on_its_way_waits_for_the_probe() -> None:
    attempts: list[Attempt] = []
    script = ScriptedModel(sub_agent(faults.status(500, retry_after=0), times=IN_A_ROW), sub_agent("12"))
    async with LoopbackServer(script) as server, Endpoints() as endpoints:
        endpoint = await endpoints.open(server.endpoint("agent"))
        assert (await asked(endpoint, attempts, retries=IN_A_ROW)).text == "12"
    waits = [attempt.retry_after for attempt in attempts]
    assert waits[:-2] == [0.0] * (IN_A_ROW - 1)
    assert waits[-2] is not None
    assert 0.5 < waits[-2] <= 1.0


async def test_all_runs_of_the_process_share_what_is_known_of_an_address() -> None:
    async with LoopbackServer(ScriptedModel()) as server, Endpoints() as one, Endpoints() as other:
        first, second = [await each.open(server.endpoint("agent")) for each in (one, other)]
        assert first is not second
        assert first.replicas[0].upstream is second.replicas[0].upstream


async def test_a_429_halves_what_goes_out_at_once() -> None:
    async with (
        LoopbackServer(ScriptedModel(sub_agent(faults.status(429)), sub_agent("12"))) as server,
        Endpoints() as endpoints,
    ):
        endpoint = await endpoints.open(EndpointSpec(address=server.endpoint("agent"), concurrency=8))
        limiter = endpoint.replicas[0].upstream.limiter
        assert limiter.limit == 8
        await asked(endpoint, [])
        assert limiter.limit == 4


async def test_waiting_for_a_slot_is_no_part_of_the_attempt() -> None:
    attempts: list[Attempt] = []
    async with LoopbackServer(ScriptedModel(anyone("a")), latency=0.2) as server, Endpoints() as endpoints:
        endpoint = await endpoints.open(EndpointSpec(address=server.endpoint("agent"), concurrency=1))
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(asked, endpoint, attempts)
        assert server.max_in_flight == 1
    assert [round(attempt.waited / 0.2) for attempt in attempts] == [0, 1, 2]
    assert all(attempt.seconds < attempt.waited for attempt in attempts[2:])


async def test_a_turn_that_does_not_come_in_time() -> None:
    attempts: list[Attempt] = []
    async with LoopbackServer(ScriptedModel(sub_agent(faults.stalled()))) as server, Endpoints() as endpoints:
        endpoint = await endpoints.open(EndpointSpec(address=server.endpoint("agent"), concurrency=1))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(endpoint.chat, ASKED, timeout=30))
            await server.until_received(1)
            with pytest.raises(CallTimeout, match=r"no free slot within 0.1 seconds"):
                await asked(endpoint, attempts, timeout=0.1)
            tasks.cancel_scope.cancel()
        limiter = endpoint.replicas[0].upstream.limiter
        assert (attempts, limiter.in_flight, limiter.waiting) == ([], 0, 0)


async def test_draining_sends_nothing_new_and_waits_for_what_is_out() -> None:
    async with two(latency=0.2) as (a, b, endpoint), anyio.create_task_group() as tasks:
        for _ in range(2):
            tasks.start_soon(partial(endpoint.chat, ASKED, timeout=10))
        await a.until_received(1)
        await endpoint.drain(a.base_url)
        assert a.log[0].outcome == "answered"
        for _ in range(3):
            await endpoint.chat(ASKED, timeout=10)
        assert (a.received, b.received) == (1, 4)
        endpoint.resume(a.base_url)
        await endpoint.chat(ASKED, timeout=10)
        assert a.received == 2


async def test_replicas_change_while_the_endpoint_is_used() -> None:
    async with (
        LoopbackServer(ScriptedModel(anyone("a"))) as a,
        LoopbackServer(ScriptedModel(anyone("b"))) as b,
        Endpoints() as endpoints,
    ):
        endpoint = await endpoints.open(a.endpoint("agent"))
        with pytest.raises(EndpointUnknown, match="only replica"):
            await endpoint.remove(a.base_url)
        with pytest.raises(EndpointUnknown, match="cannot be reached"):
            await endpoint.add(NOBODY)
        await endpoint.replace(a.base_url, by=b.base_url)
        assert (await endpoint.chat(ASKED, timeout=10)).text == "b"
        assert [replica.name for replica in endpoint.replicas] == [b.endpoint("agent")]
        with pytest.raises(EndpointUnknown, match=f"has no replica at .*; there is {b.base_url}"):
            await endpoint.drain(a.base_url)
        await endpoint.drain(b.base_url)
        with pytest.raises(AttemptFailed, match="is being drained"):
            await endpoint.chat(ASKED, timeout=10)


async def test_a_server_without_tools_is_asked_without_and_remembered() -> None:
    tool = ToolSpec(name="run", description="runs", parameters={"type": "object"})
    request = ASKED.model_copy(update={"tools": (tool,)})
    async with LoopbackServer(ScriptedModel(anyone("a")), refuses=["tools"]) as server, Endpoints() as endpoints:
        endpoint = await endpoints.open(server.endpoint("agent"))
        assert [(await chat(endpoint, request, timeout=10)).text for _ in range(2)] == ["a", "a"]
        known = endpoint.replicas[0].known
        assert (known.tools, known.json_schema, known.usage) == (False, True, True)
        assert endpoint.supports_tools is False
    assert [served.request.tool_names for served in server.log] == [("run",), (), ()]


async def test_llama_cpp_tells_its_window_under_props() -> None:
    async def answers(request: web.Request) -> web.StreamResponse:
        assert request.path == "/props"
        return web.json_response({"default_generation_settings": {"n_ctx": 2048}})

    def listing(_: web.Request) -> web.StreamResponse:
        return web.json_response({"object": "list", "data": [{"id": "m", "object": "model", "owned_by": "llamacpp"}]})

    async with raw_server(listing, answers) as url, Endpoints() as endpoints:
        assert (await endpoints.open(f"{url}#m")).context_tokens == 2048


async def test_calls_that_are_out_at_once_all_learn_the_same() -> None:
    async def picky(request: web.Request) -> web.StreamResponse:
        if "temperature" in await request.json():
            await anyio.sleep(0.05)  # until all are here
            return web.json_response({"error": {"message": "no", "param": "temperature"}}, status=400)
        chunk = '{"choices": [{"index": 0, "delta": {"content": "12"}, "finish_reason": "stop"}]}'
        reply = events(chunk, "[DONE]")(request)
        assert isinstance(reply, web.Response)
        return reply

    attempts: list[Attempt] = []
    async with raw_server(chat=picky) as url, Endpoints() as endpoints:
        endpoint = await endpoints.open(f"{url}#m")
        async with anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(asked, endpoint, attempts)
    assert sorted(attempt.cause or "ok" for attempt in attempts) == ["ok"] * 8 + ["request"] * 8
