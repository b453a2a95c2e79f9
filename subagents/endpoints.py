"""Endpoint strings, and the opening of what they name.

local, local:NAME                     the embedded model
openai:MODEL                          OpenAI, or what OPENAI_BASE_URL names (OPENAI_API_KEY)
vllm:MODEL                            a vLLM server at VLLM_BASE_URL, or on this machine's port 8000 (VLLM_API_KEY)
http://HOST:PORT/v1#MODEL, https://…  any OpenAI-compatible server (DYNAFLOW_API_KEY, if it wants a key)

An endpoint is looked up when it is opened: a server that is not there, a key that it does not take, or a model that
it does not list is found out before anything is spent.
"""

from __future__ import annotations

import difflib
import os
from contextlib import AsyncExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self
from urllib.parse import urlsplit

import anyio

from subagents.client import Endpoint, open_client, some_of
from subagents.errors import EndpointUnknown
from subagents.failures import client_errors, told_by

if TYPE_CHECKING:
    from openai.types import Model

OPENAI_URL = "https://api.openai.com/v1"
VLLM_URL = "http://127.0.0.1:8000/v1"
_FORMS = "local, openai:MODEL, vllm:MODEL or http://HOST:PORT/v1#MODEL"


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint string, read."""

    kind: Literal["local", "openai", "vllm", "url"]
    model: str
    """Empty for `local` without a name."""
    base_url: str = ""
    """Empty for `local`."""


def parse_endpoint(text: str) -> Address:
    """Read an endpoint string. Raises `EndpointUnknown` saying which forms there are."""
    text = text.strip()
    if text.startswith(("http://", "https://")):
        return _url(text)
    kind, _, model = text.partition(":")
    match kind:
        case "local":
            return Address("local", model)
        case "openai" if model:
            return Address("openai", model, _checked(os.environ.get("OPENAI_BASE_URL") or OPENAI_URL))
        case "vllm" if model:
            return Address("vllm", model, _checked(os.environ.get("VLLM_BASE_URL") or VLLM_URL))
        case "openai" | "vllm":
            raise EndpointUnknown(f"the endpoint {text!r} names no model; write {kind}:MODEL")
    raise EndpointUnknown(f"the endpoint {text!r} cannot be read; write {_FORMS}")


class Endpoints:
    """Opens each endpoint once, and closes them all."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._open: dict[str, Endpoint] = {}
        self._opening = anyio.Lock()

    async def __aenter__(self) -> Self:
        await self._stack.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.clear()
        with anyio.CancelScope(shield=True):  # a run that was cancelled must not leave an engine behind
            await self._stack.__aexit__(kind, error, trace)

    async def open(self, text: str) -> Endpoint:
        """The endpoint of that string. Raises `EndpointUnknown` for what cannot be read, reached or used."""
        text = text.strip()
        async with self._opening:
            if text not in self._open:
                self._open[text] = await self._opened(text)
            return self._open[text]

    async def _opened(self, text: str) -> Endpoint:
        address = parse_endpoint(text)
        if address.kind == "local":
            return await self._local(address)
        client = await self._stack.enter_async_context(open_client(address.base_url, _key(address)))
        endpoint = Endpoint(text, address.model, client)
        if address.kind == "openai":
            endpoint.supports_tools = True
        endpoint.context_tokens = await _look_up(endpoint)
        return endpoint

    async def _local(self, address: Address) -> Endpoint:
        from subagents.local.engine import open_engine

        engine = await self._stack.enter_async_context(open_engine(address.model or None))
        client = await self._stack.enter_async_context(open_client(engine.base_url, "none", keep_alive=False))
        name = f"local:{address.model}" if address.model else "local"
        return Endpoint(name, engine.model, client, context_tokens=engine.context_tokens, supports_tools=False)


def _url(text: str) -> Address:
    base_url, _, model = text.partition("#")
    base_url = _checked(base_url)
    if not model:
        raise EndpointUnknown(f"the endpoint {text!r} names no model; write {base_url}#MODEL")
    return Address("url", model, base_url)


def _checked(url: str) -> str:
    """The address without a slash at its end. What may hold a secret is refused, and not repeated."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise EndpointUnknown("the endpoint's address is no URL; write http://HOST:PORT/v1#MODEL") from None
    if parts.username or parts.password or parts.query:
        raise EndpointUnknown(
            f"the endpoint at {parts.hostname!r} holds a password or a query, which would be written to the journal; "
            "put the key into DYNAFLOW_API_KEY"
        )
    if not usable:
        raise EndpointUnknown(f"the endpoint's address {url!r} is no URL; write http://HOST:PORT/v1#MODEL")
    return url.rstrip("/")


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
    models = await _listed(endpoint)
    names = [model.id for model in models]
    if names and endpoint.model not in names:
        close = difflib.get_close_matches(endpoint.model, names, 1)
        meant = f" Did you mean {close[0]!r}?" if close else ""
        raise EndpointUnknown(f"{endpoint.name!r}: no model {endpoint.model!r} there.{meant} It has {some_of(names)}")
    return next((_window(model.model_extra or {}) for model in models if model.id == endpoint.model), None)


async def _listed(endpoint: Endpoint) -> list[Model]:
    """What the server lists; nothing where it lists none, or not to this key."""
    import openai

    try:
        return await endpoint.offered()
    except openai.AuthenticationError as error:
        raise EndpointUnknown(f"{endpoint.name!r} refuses the API key: {told_by(error)}") from None
    except openai.APIStatusError:
        return []
    except (openai.APIConnectionError, TimeoutError):
        raise EndpointUnknown(f"{endpoint.name!r} cannot be reached; is a server running there?") from None
    except client_errors():
        raise EndpointUnknown(f"{endpoint.name!r} answers, but not like an OpenAI-compatible server") from None


def _window(extra: dict[str, object]) -> int | None:
    """Tokens, as llama.cpp (`meta.n_ctx`) and vLLM (`max_model_len`) tell them."""
    meta = extra.get("meta")
    stated = (extra.get("max_model_len"), meta.get("n_ctx") if isinstance(meta, dict) else None)
    return next((value for value in stated if isinstance(value, int) and value > 0), None)
