"""The opening of what endpoint strings name; `addresses` has their forms.

An endpoint is looked up when it is opened: a server that is not there, a key that it does not take, or a model that
it does not list is found out before anything is spent. Of several replicas some may be away; they are tried again
while the others are used. One `Endpoints` may serve any number of runs, which then share its connections, and whose
replicas can be changed while they run.
"""

from __future__ import annotations

import difflib
from contextlib import AsyncExitStack
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

import anyio

from subagents.addresses import Address, api_key, checked_url, parse_endpoint
from subagents.capabilities import Capabilities, stated_window
from subagents.client import listed, open_client, some_of
from subagents.endpoint import Endpoint
from subagents.errors import EndpointUnknown
from subagents.failures import client_errors, told_by
from subagents.messages import TokenUsage
from subagents.prices import FREE
from subagents.replicas import Replica, upstream
from subagents.specs import EndpointSpec

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import Model


class Endpoints:
    """Opens each endpoint once, and closes them all."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._open: dict[EndpointSpec, Endpoint] = {}
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

    async def open(self, what: str | EndpointSpec) -> Endpoint:
        """The endpoint of that string, or of that entry of a pool file.

        Raises `EndpointUnknown` for what cannot be read, reached or used.
        """
        spec = EndpointSpec(address=what.strip()) if isinstance(what, str) else what
        async with self._opening:
            if spec not in self._open:
                self._open[spec] = await self._opened(spec)
            return self._open[spec]

    async def _opened(self, spec: EndpointSpec) -> Endpoint:
        address = parse_endpoint(spec.address)
        if address.kind == "local":
            return await self._local(address, spec)
        several = len(address.base_urls) > 1
        replicas = [
            await self._replica(spec, address, f"{url}#{address.model}" if several else spec.address, url)
            for url in address.base_urls
        ]
        away = [problem for replica in replicas if (problem := await _look_up(replica)) is not None]
        if len(away) == len(replicas):
            raise EndpointUnknown("; ".join(away))
        tools = True if address.kind == "openai" else None
        return Endpoint(spec.address, replicas, partial(self._further, spec, address), tools=tools)

    async def _further(self, spec: EndpointSpec, address: Address, base_url: str) -> Replica:
        """One more replica, opened while the endpoint is used."""
        url = checked_url(base_url)
        replica = await self._replica(spec, address, f"{url}#{address.model}", url)
        problem = await _look_up(replica)
        if problem is not None:
            raise EndpointUnknown(problem)
        return replica

    async def _replica(self, spec: EndpointSpec, address: Address, name: str, base_url: str) -> Replica:
        key = api_key(address)
        client = await self._stack.enter_async_context(open_client(base_url, key))
        shared = upstream(base_url, key)
        if spec.concurrency is not None:
            shared.limiter.most = spec.concurrency
        replica = Replica(name, base_url, address.model, client, shared, spec.price)
        replica.price(TokenUsage())  # loads the price list now, not inside the first call
        return replica

    async def _local(self, address: Address, spec: EndpointSpec) -> Endpoint:
        from subagents.local.engine import open_engine

        engine = await self._stack.enter_async_context(open_engine(address.model or None))
        client = await self._stack.enter_async_context(open_client(engine.base_url, "none", keep_alive=False))
        shared = upstream(engine.base_url, "none")
        shared.models[engine.model] = Capabilities(context_tokens=engine.context_tokens)
        replica = Replica(spec.address, engine.base_url, engine.model, client, shared, spec.price or FREE)
        return Endpoint(spec.address, [replica], tools=False)


async def _look_up(replica: Replica) -> str | None:
    """Learn of the server's listing what it states of the model; gives why where nobody is there.

    Raises `EndpointUnknown` for a server that is there and cannot be used.
    """
    breaker = replica.upstream.breaker
    try:
        models = await _listed(replica)
    except ConnectionError as error:
        breaker.trip(str(error))
        return f"{replica.name!r} cannot be reached; is a server running there?"
    breaker.reset()
    names = [model.id for model in models]
    if names and replica.model not in names:
        close = difflib.get_close_matches(replica.model, names, 1)
        meant = f" Did you mean {close[0]!r}?" if close else ""
        raise EndpointUnknown(f"{replica.name!r}: no model {replica.model!r} there.{meant} It has {some_of(names)}")
    for model in models:
        if model.id == replica.model:
            replica.known.context_tokens = await _window(replica.client, model)
    return None


async def _listed(replica: Replica) -> list[Model]:
    """What the server lists; nothing where it lists none, or not to this key."""
    import openai

    try:
        return await listed(replica.client)
    except openai.AuthenticationError as error:
        raise EndpointUnknown(f"{replica.name!r} refuses the API key: {told_by(error)}") from None
    except openai.APIStatusError:
        return []
    except (openai.APIConnectionError, TimeoutError):
        raise ConnectionError("it could not be reached when it was opened") from None
    except client_errors():
        raise EndpointUnknown(f"{replica.name!r} answers, but not like an OpenAI-compatible server") from None


async def _window(client: AsyncOpenAI, model: Model) -> int | None:
    """Tokens, as the listing states them, or as a llama.cpp server that lists none tells them under `/props`."""
    window = stated_window(model.model_extra or {})
    if window is not None or model.owned_by != "llamacpp":
        return window
    try:
        props = await client.get(str(client.base_url.join("/props")), cast_to=object)
    except client_errors():
        return None
    settings = props.get("default_generation_settings") if isinstance(props, dict) else None
    return stated_window({"meta": settings})
