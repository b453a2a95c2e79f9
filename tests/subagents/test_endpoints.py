"""Endpoint strings, and opening what they name: windows, keys, models that are not there, servers that are none."""

from __future__ import annotations

import anyio
import pytest
from aiohttp import web

from dynaflow.testing import LoopbackServer, ScriptedModel, anyone
from subagents import Endpoints, EndpointUnknown, parse_endpoint
from subagents.addresses import Address
from tests.subagents.raw_server import raw_server

pytestmark = pytest.mark.anyio


def test_the_forms_of_an_endpoint_string(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("VLLM_BASE_URL", raising=False)
    assert parse_endpoint(" local ") == Address("local", "")
    assert parse_endpoint("local:small") == Address("local", "small")
    assert parse_endpoint("openai:gpt-5") == Address("openai", "gpt-5", ("https://api.openai.com/v1",))
    assert parse_endpoint("vllm:org/model") == Address("vllm", "org/model", ("http://127.0.0.1:8000/v1",))
    assert parse_endpoint("https://h:1/v1/#a#b") == Address("url", "a#b", ("https://h:1/v1",))
    monkeypatch.setenv("VLLM_BASE_URL", "http://gpu:9/v1/")
    assert parse_endpoint("vllm:m").base_urls == ("http://gpu:9/v1",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "cannot be read; write local"),
        ("gpt-5", "cannot be read"),
        ("localhost:8000", "cannot be read"),
        ("openai:", "names no model; write openai:MODEL"),
        ("http://h/v1", "names no model; write http://h/v1#MODEL"),
        ("http://#m", "is no URL"),
        ("http://h:port/v1#m", "is no URL"),
        ("http://[h/v1#m", "is no URL"),
    ],
)
def test_what_cannot_be_read(text: str, says: str) -> None:
    with pytest.raises(EndpointUnknown, match=says):
        parse_endpoint(text)


@pytest.mark.parametrize("text", ["http://me:secret@h/v1#m", "https://h/v1?key=secret#m", "http://secret@h/v1#m"])
def test_a_secret_in_an_address_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(EndpointUnknown, match="DYNAFLOW_API_KEY") as failure:
        parse_endpoint(text)
    assert "secret" not in str(failure.value)


async def test_an_endpoint_is_opened_once_and_knows_its_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DYNAFLOW_API_KEY", raising=False)
    async with (
        LoopbackServer(ScriptedModel(), style="llama.cpp", context=4096) as llama,
        LoopbackServer(ScriptedModel(), style="vllm", context=2048) as vllm,
        LoopbackServer(ScriptedModel()) as plain,
        Endpoints() as endpoints,
    ):
        windows = [(await endpoints.open(server.endpoint())).context_tokens for server in (llama, vllm, plain)]
        assert await endpoints.open(f" {llama.endpoint()}") is await endpoints.open(llama.endpoint())
        assert (await endpoints.open(llama.endpoint())).name == llama.endpoint()
    assert windows == [4096, 2048, None]


async def test_openings_at_once_share_one_endpoint() -> None:
    opened = []
    async with LoopbackServer(ScriptedModel()) as server, Endpoints() as endpoints:

        async def opening() -> None:
            opened.append(await endpoints.open(server.endpoint()))

        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(opening)
    assert len({id(endpoint) for endpoint in opened}) == 1


async def test_a_model_that_is_not_there() -> None:
    async with LoopbackServer(ScriptedModel(), models=["qwen", "llama"]) as server, Endpoints() as endpoints:
        with pytest.raises(EndpointUnknown, match=r"no model 'qwem' there. Did you mean 'qwen'\? It has qwen, llama"):
            await endpoints.open(server.endpoint("qwem"))


async def test_a_server_that_is_not_there() -> None:
    async with LoopbackServer(ScriptedModel()) as server:
        text = server.endpoint()
    async with Endpoints() as endpoints:
        with pytest.raises(EndpointUnknown, match="cannot be reached"):
            await endpoints.open(text)


async def test_openai_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with Endpoints() as endpoints:
        with pytest.raises(EndpointUnknown, match="needs OPENAI_API_KEY"):
            await endpoints.open("openai:gpt-5")


async def test_each_kind_sends_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    from subagents import ChatRequest, Message

    asked = ChatRequest(messages=(Message(role="user", content="?"),))
    async with LoopbackServer(ScriptedModel(anyone("x"))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("VLLM_BASE_URL", server.base_url)
        for name in ("OPENAI_API_KEY", "VLLM_API_KEY", "DYNAFLOW_API_KEY"):
            monkeypatch.setenv(name, f"the-{name}")
        async with Endpoints() as endpoints:
            for text in ("openai:agent", "vllm:agent", server.endpoint("agent")):
                await (await endpoints.open(text)).chat(asked, timeout=10)
            assert (await endpoints.open("openai:agent")).supports_tools
    keys = [served.headers["authorization"] for served in server.log]
    assert keys == [f"Bearer the-{name}" for name in ("OPENAI_API_KEY", "VLLM_API_KEY", "DYNAFLOW_API_KEY")]


@pytest.mark.parametrize(
    ("status", "body", "kind", "says"),
    [
        (401, '{"error": {"message": "bad key"}}', "application/json", "refuses the API key"),
        (200, "<html>hello</html>", "text/html", "not like an OpenAI-compatible server"),
        (200, "[1", "application/json", "not like an OpenAI-compatible server"),
        (200, '{"data": null}', "application/json", "not like an OpenAI-compatible server"),
    ],
)
async def test_a_listing_that_tells_of_no_use(status: int, body: str, kind: str, says: str) -> None:
    async with (
        raw_server(lambda _: web.Response(status=status, text=body, content_type=kind)) as url,
        Endpoints() as endpoints,
    ):
        with pytest.raises(EndpointUnknown, match=says):
            await endpoints.open(f"{url}#m")


@pytest.mark.parametrize("status", [403, 404, 501])
async def test_a_server_without_a_listing_is_taken_as_it_is(status: int) -> None:
    async with raw_server(lambda _: web.Response(status=status)) as url, Endpoints() as endpoints:
        assert (await endpoints.open(f"{url}#m")).context_tokens is None
