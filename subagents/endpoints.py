"""Endpoint strings, and the opening of what they name.

local, local:NAME                     the embedded model
openai:MODEL                          OpenAI (OPENAI_API_KEY)
vllm:MODEL                            a vLLM server at VLLM_BASE_URL, or on this machine's port 8000 (VLLM_API_KEY)
http://HOST:PORT/v1#MODEL, https://…  any OpenAI-compatible server (DYNAFLOW_API_KEY, if it wants a key)
"""

from __future__ import annotations

import os
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Literal, Self

import anyio

from subagents.client import Endpoint, open_client
from subagents.errors import EndpointUnknown

OPENAI_URL = "https://api.openai.com/v1"
VLLM_URL = "http://127.0.0.1:8000/v1"
LISTING_SECONDS = 10.0
_FORMS = "local, openai:MODEL, vllm:MODEL or http://HOST:PORT/v1#MODEL"


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint string, read."""

    kind: Literal["local", "openai", "vllm", "url"]
    model: str | None
    base_url: str | None = None


def parse_endpoint(text: str) -> Address:
    """Read an endpoint string. Raises `EndpointUnknown` saying which forms there are."""
    text = text.strip()
    if text == "local" or text.startswith("local:"):
        return Address("local", text.partition(":")[2] or None)
    if text.startswith(("http://", "https://")):
        base_url, _, model = text.partition("#")
        if not model:
            raise EndpointUnknown(f"the endpoint {text!r} names no model; write {base_url.rstrip('/')}#MODEL")
        return Address("url", model, base_url.rstrip("/"))
    kind, _, model = text.partition(":")
    if kind == "openai" and model:
        return Address("openai", model, OPENAI_URL)
    if kind == "vllm" and model:
        return Address("vllm", model, os.environ.get("VLLM_BASE_URL", VLLM_URL).rstrip("/"))
    missing = f"; {kind!r} needs a model, as in {kind}:MODEL" if kind in ("openai", "vllm") else ""
    raise EndpointUnknown(f"the endpoint {text!r} cannot be read{missing}; write {_FORMS}")


class Endpoints:
    """Opens each endpoint once, and closes them all."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._open: dict[str, Endpoint] = {}

    async def __aenter__(self) -> Self:
        await self._stack.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:  # noqa: ANN401 - passed on as they are
        self._open.clear()
        await self._stack.__aexit__(*error)

    async def open(self, text: str) -> Endpoint:
        """The endpoint of that string. Raises `EndpointUnknown` for what cannot be read, reached or used."""
        if text not in self._open:
            self._open[text] = await self._opened(text)
        return self._open[text]

    async def _opened(self, text: str) -> Endpoint:
        address = parse_endpoint(text)
        if address.kind == "local":
            return await self._local(address)
        assert address.model is not None
        assert address.base_url is not None
        client = await self._stack.enter_async_context(open_client(address.base_url, _key(address)))
        endpoint = Endpoint(text, address.model, client)
        if address.kind == "openai":
            endpoint.supports_tools = True
        else:
            endpoint.context_tokens = await _look_up(endpoint)
        return endpoint

    async def _local(self, address: Address) -> Endpoint:
        from subagents.local.engine import open_engine

        engine = await self._stack.enter_async_context(open_engine(address.model))
        client = await self._stack.enter_async_context(open_client(engine.base_url, "none"))
        name = f"local:{address.model}" if address.model else "local"
        return Endpoint(name, engine.model, client, context_tokens=engine.context_tokens, supports_tools=False)


def _key(address: Address) -> str:
    if address.kind == "openai":
        key = os.environ.get("OPENAI_API_KEY", "")
        if not key:
            raise EndpointUnknown(
                f"the endpoint 'openai:{address.model}' needs OPENAI_API_KEY; set it, or use --model local"
            )
        return key
    name = "VLLM_API_KEY" if address.kind == "vllm" else "DYNAFLOW_API_KEY"
    return os.environ.get(name) or "none"


async def _look_up(endpoint: Endpoint) -> int | None:
    """The context window that the server states for the model. A model that is not on its list is refused."""
    import httpx2
    import openai

    try:
        with anyio.fail_after(LISTING_SECONDS):
            listed = (await endpoint.client.models.list()).data
    except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
        raise EndpointUnknown(f"{endpoint.name!r} refuses the API key: {error.message}") from None
    except openai.APIStatusError:
        return None  # a server without a list of models
    except (openai.APIConnectionError, httpx2.TransportError, TimeoutError):
        raise EndpointUnknown(f"{endpoint.name!r} cannot be reached; is a server running there?") from None
    except openai.OpenAIError as error:
        raise EndpointUnknown(f"{endpoint.name!r} answers, but not like an OpenAI-compatible server: {error}") from None
    names = [model.id for model in listed]
    if names and endpoint.model not in names:
        raise EndpointUnknown(f"{endpoint.name!r}: no model {endpoint.model!r} there; it has {', '.join(names)}")
    return next((_window(model.model_extra or {}) for model in listed if model.id == endpoint.model), None)


def _window(extra: dict[str, Any]) -> int | None:
    meta = extra.get("meta") if isinstance(extra.get("meta"), dict) else {}
    for value in (extra.get("max_model_len"), (meta or {}).get("n_ctx"), extra.get("context_length")):
        if isinstance(value, int) and value > 0:
            return value
    return None
