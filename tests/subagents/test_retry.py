"""The retry loop and the telling apart of failures, each against a server that fails in that way."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web

from dynaflow.testing import ErrorReply, LoopbackServer, Reply, ScriptedModel, faults, sub_agent, tool_call
from subagents import (
    AgentUnavailable,
    Attempt,
    AttemptFailed,
    CallFailed,
    CallTimeout,
    ChatReply,
    ChatRequest,
    ContextOverflow,
    Endpoint,
    Endpoints,
    Message,
    ToolSpec,
    chat,
)
from tests.subagents.raw_server import Answer, events, raw_server, raw_socket

pytestmark = pytest.mark.anyio

ASKED = ChatRequest(messages=(Message(role="user", content="How much?"),))


async def asked(
    endpoint: str, request: ChatRequest = ASKED, timeout: float = 30.0, **more: Any
) -> tuple[ChatReply, list[Attempt]]:
    attempts: list[Attempt] = []

    async def on_attempt(attempt: Attempt) -> None:
        attempts.append(attempt)

    async with Endpoints() as endpoints:
        return await chat(
            await endpoints.open(endpoint), request, timeout=timeout, on_attempt=on_attempt, **more
        ), attempts


async def failing(endpoint: str, timeout: float = 30.0) -> tuple[CallFailed, list[Attempt]]:
    attempts: list[Attempt] = []

    async def on_attempt(attempt: Attempt) -> None:
        attempts.append(attempt)

    async with Endpoints() as endpoints:
        with pytest.raises(CallFailed) as failure:
            await chat(await endpoints.open(endpoint), ASKED, timeout=timeout, on_attempt=on_attempt)
    return failure.value, attempts


async def test_transient_failures_are_tried_again_with_a_record_each() -> None:
    script = ScriptedModel(
        sub_agent(faults.status(429, retry_after=0.01)),
        sub_agent(faults.cut()),
        sub_agent(faults.status(503)),
        sub_agent("12"),
    )
    async with LoopbackServer(script) as server:
        reply, attempts = await asked(server.endpoint("agent"))
    assert reply.text == "12"
    assert [attempt.cause for attempt in attempts] == ["429", "cut", "503", None]
    assert [attempt.outcome for attempt in attempts] == ["failed"] * 3 + ["ok"]
    assert attempts[0].retry_after == 0.01
    assert attempts[-1].retry_after is None
    assert attempts[-1].usage == reply.usage
    assert (attempts[0].usage.known, attempts[1].usage.known) == (True, False)
    assert all(attempt.endpoint.endswith("#agent") for attempt in attempts)


async def test_four_attempts_are_enough() -> None:
    async with LoopbackServer(ScriptedModel(sub_agent(faults.status(500, retry_after=0), times=4))) as server:
        failure, attempts = await failing(server.endpoint("agent"))
    assert isinstance(failure, AgentUnavailable)
    assert failure.cause == "500"
    assert len(attempts) == 4


async def test_a_blank_reply_is_tried_again_once() -> None:
    async with LoopbackServer(ScriptedModel(sub_agent(faults.blank()), sub_agent("12"))) as server:
        reply, attempts = await asked(server.endpoint("agent"))
    assert (reply.text, [attempt.cause for attempt in attempts]) == ("12", ["blank", None])


@pytest.mark.parametrize(
    ("fault", "kind", "cause"),
    [
        (faults.status(401), AgentUnavailable, "401"),
        (faults.status(403), AgentUnavailable, "403"),
        (faults.status(400), AgentUnavailable, "request"),
        (faults.context_overflow("openai"), ContextOverflow, "context"),
        (faults.context_overflow("llama.cpp"), ContextOverflow, "context"),
        (faults.context_overflow("vllm"), ContextOverflow, "context"),
        (faults.status(429, retry_after=3600), AgentUnavailable, "429"),
        (ErrorReply(429, "You exceeded your quota.", code="insufficient_quota"), AgentUnavailable, "429"),
        (ErrorReply(500, "no", may_retry=False), AgentUnavailable, "500"),
    ],
)
async def test_what_asking_again_cannot_help(fault: Any, kind: type[CallFailed], cause: str) -> None:
    async with LoopbackServer(ScriptedModel(sub_agent(fault))) as server:
        failure, attempts = await failing(server.endpoint("agent"))
    assert type(failure) is kind
    assert (failure.cause, len(attempts)) == (cause, 1)
    assert "#agent" in str(failure)


async def test_a_wait_beyond_the_time_left_is_not_begun() -> None:
    async with LoopbackServer(ScriptedModel(sub_agent(faults.status(429, retry_after=20)))) as server:
        failure, attempts = await failing(server.endpoint("agent"), timeout=5)
    assert "asks to wait 20 seconds" in str(failure)
    assert len(attempts) == 1


async def test_the_timeout_is_that_of_all_attempts() -> None:
    async with LoopbackServer(ScriptedModel(sub_agent(faults.stalled()))) as server:
        failure, attempts = await failing(server.endpoint("agent"), timeout=0.3)
    assert isinstance(failure, CallTimeout)
    assert [attempt.cause for attempt in attempts] == ["timeout"]
    assert "within 0.3 seconds" in str(failure)


async def test_a_server_that_has_gone() -> None:
    async with Endpoints() as endpoints:
        async with LoopbackServer(ScriptedModel()) as server:
            endpoint = await endpoints.open(server.endpoint("agent"))
        with pytest.raises(AgentUnavailable, match="cannot reach the endpoint") as failure:
            await chat(endpoint, ASKED, timeout=30)
    assert failure.value.cause == "connect"


async def test_a_model_that_has_gone_is_told_with_those_that_are_there() -> None:
    async with LoopbackServer(ScriptedModel(), models=["a", "b"]) as server, Endpoints() as endpoints:
        endpoint = await endpoints.open(server.endpoint("a"))
        server.models = ["b", "c"]
        with pytest.raises(AgentUnavailable, match="it has b, c") as failure:
            await chat(endpoint, ASKED, timeout=30)
    assert failure.value.cause == "404"


async def test_a_wrong_path_is_told_with_the_address() -> None:
    async with raw_server() as url:
        failure, _ = await failing(f"{url}#m")
    assert "is 'http://127.0.0.1" in str(failure)


async def test_reasoning_and_tool_calls_are_kept_apart() -> None:
    call = tool_call("run_workflow", program="return 1")
    reply = Reply("Look.", tool_calls=call.tool_calls, reasoning="Hm.")
    tool = ToolSpec(name="run_workflow", description="runs", parameters={"type": "object"})
    seen: list[str] = []
    async with LoopbackServer(ScriptedModel(sub_agent(reply))) as server:
        got, _ = await asked(server.endpoint("agent"), ASKED.model_copy(update={"tools": (tool,)}), on_text=seen.append)
    assert (got.text, got.reasoning, got.finish_reason, "".join(seen)) == ("Look.", "Hm.", "tool_calls", "Look.")
    (request,) = got.tool_requests
    assert json.loads(request.arguments) == {"program": "return 1"}
    assert server.log[0].request.tool_names == ("run_workflow",)


def chunk(**fields: Any) -> str:
    return json.dumps({"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", **fields})


def said(text: str | None, finish: str | None = None) -> str:
    return chunk(choices=[{"index": 0, "delta": {"content": text}, "finish_reason": finish}])


@pytest.mark.parametrize(
    ("stream", "text"),
    [
        ([chunk(choices=None), said("12"), said(None, "stop"), chunk(choices=[], usage={"prompt_tokens": 3})], "12"),
        ([said("\ud83d"), said("\ude00"), said("", "stop")], "\N{GRINNING FACE}"),
        ([said("a\ud83d", "eos")], "a�"),
        ([chunk(choices=[{"index": 0, "delta": None, "finish_reason": None}]), said("x", "stop")], "x"),
    ],
)
async def test_what_servers_leave_out_or_split(stream: list[str], text: str) -> None:
    async with raw_server(chat=events(*stream, "[DONE]")) as url:
        reply, _ = await asked(f"{url}#m")
    assert reply.text == text


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (events("{not json"), "garbled"),
        (events(said("half")), "cut"),
        (events('{"error": {"message": "the engine died"}}'), "server"),
        (lambda _: web.Response(text="<html>", content_type="text/html"), "cut"),
    ],
)
async def test_a_stream_that_cannot_be_read_is_tried_again(answer: Answer, cause: str) -> None:
    async with raw_server(chat=answer) as url:
        failure, attempts = await failing(f"{url}#m")
    assert isinstance(failure, AgentUnavailable)
    assert [attempt.cause for attempt in attempts] == [cause] * 4
    assert not any(attempt.usage.known for attempt in attempts)


OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


@pytest.mark.parametrize(
    ("sent", "cause"),
    [
        (b"", "cut"),
        (OK, "cut"),
        (b"\x00\x01 what?\r\n\r\n", "cut"),
        (OK + b"X: " + b"x" * 100_000 + b"\r\n\r\n", "cut"),
        (OK + b"Content-Length: 9999\r\n\r\ndata: {}\n\n", "cut"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nno-size\r\n", "cut"),
        (OK + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\nno gzip", "cut"),
        (OK + b"Connection: close\r\n\r\ndata: \xff\xfe\n\n", "garbled"),
        (OK + b'Connection: close\r\n\r\ndata: {"choices": 5}\n\n', "garbled"),
        (OK + b'Connection: close\r\n\r\ndata: {"choices": [{"delta": {"content": [1]}}]}\n\n', "garbled"),
        (OK + b'Connection: close\r\n\r\ndata: {"choices": [], "usage": {"prompt_tokens": "x"}}\n\n', "garbled"),
    ],
)
async def test_bytes_that_are_no_reply(sent: bytes, cause: str) -> None:
    async with raw_socket(sent) as url, Endpoints() as endpoints:
        endpoint = await endpoints.open(f"{url}#m")
        with pytest.raises(AttemptFailed) as failure:
            await endpoint.chat(ASKED, timeout=10)
    assert (failure.value.cause, failure.value.transient, failure.value.usage.known) == (cause, True, False)
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('{"error": {"message": "No such thing."}}', "(400): No such thing."),
        ('{"error": "boom"}', "(400): boom"),
        ('{"detail": "nope"}', "nope"),
        ("<h1>Bad\ngateway</h1>", "(400): <h1>Bad gateway</h1>"),
        ("", "(400): Bad Request"),
        ("x" * 9999, " …"),
    ],
)
async def test_what_a_server_says_is_passed_on(body: str, says: str) -> None:
    async with raw_server(chat=lambda _: web.Response(status=400, text=body)) as url:
        failure, _ = await failing(f"{url}#m")
    assert says in str(failure)
    assert len(str(failure)) < 1_000


async def test_an_overflow_that_is_told_in_the_stream() -> None:
    message = json.dumps({"error": {"message": "the request exceeds the available context size"}})
    async with raw_server(chat=events(message)) as url:
        failure, _ = await failing(f"{url}#m")
    assert isinstance(failure, ContextOverflow)


async def test_parameters_that_a_server_refuses_are_left_out() -> None:
    bodies: list[dict[str, Any]] = []

    async def picky(request: web.Request) -> web.StreamResponse:
        body = await request.json()
        bodies.append(body)
        if "max_tokens" in body:
            message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return web.json_response({"error": {"message": message, "param": "max_tokens"}}, status=400)
        if "temperature" in body:
            message = "Unsupported value: 'temperature' does not support 0 with this model."
            return web.json_response({"error": {"message": message, "param": "temperature"}}, status=400)
        reply = events(said("12", "stop"), "[DONE]")(request)
        assert isinstance(reply, web.Response)
        return reply

    async with raw_server(chat=picky) as url, Endpoints() as endpoints:
        endpoint = await endpoints.open(f"{url}#m")
        assert [(await chat(endpoint, ASKED, timeout=30)).text for _ in range(2)] == ["12", "12"]
    assert len(bodies) == 4
    assert bodies[-1].keys() == {"model", "messages", "max_completion_tokens", "stream", "stream_options"}


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [("2.5", 2.5, 2.5), ("soon", None, None), ("-3", 0, 0), ("date", 20, 30)],
)
async def test_what_retry_after_may_say(header: str, least: float | None, most: float | None) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=29), usegmt=True)
    value = date if header == "date" else header
    busy: Answer = lambda _: web.Response(status=429, headers={"Retry-After": value})  # noqa: E731
    async with raw_server(chat=busy) as url, Endpoints() as endpoints:
        endpoint: Endpoint = await endpoints.open(f"{url}#m")
        with pytest.raises(AttemptFailed) as failure:
            await endpoint.chat(ASKED, timeout=10)
    waits = failure.value.retry_after
    assert waits is None if least is None or most is None else waits is not None and least <= waits <= most
