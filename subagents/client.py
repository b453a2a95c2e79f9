"""The client of an OpenAI-compatible server: the `openai` package, asked for the plain data of a stream.

A stream that is cancelled stops the work on the server; a plain request would not, so every request streams. The
package's typed method for chats walks through the whole request to transform it and builds a model of every chunk, which
is more than half of what a call costs the processor; its general `post` does neither, and keeps errors and decoding.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio

from subagents.streaming import Collected

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import Model

CONNECT_SECONDS = 10.0
LISTING_SECONDS = 10.0
_SHOWN = 20


async def stream_chat(
    client: AsyncOpenAI,
    body: dict[str, Any],
    collected: Collected,
    *,
    timeout: float,
    on_text: Callable[[str], None] | None,
) -> float | None:
    """Send a chat request and collect its stream; gives the seconds until the first piece came.

    Raises what the client raises, or TimeoutError after `timeout` seconds.
    """
    import httpx2
    from openai import AsyncStream

    limits = httpx2.Timeout(timeout, connect=min(CONNECT_SECONDS, timeout))
    began, first = anyio.current_time(), None
    with anyio.fail_after(timeout):
        stream: AsyncStream[object] = await client.post(
            "/chat/completions",
            body=body,
            cast_to=object,
            options={"timeout": limits},
            stream=True,
            stream_cls=AsyncStream[object],
        )
        async with stream:
            async for chunk in stream:
                first = first or anyio.current_time() - began
                collected.add(chunk, on_text)
    return first


async def listed(client: AsyncOpenAI) -> list[Model]:
    """The models that the server lists. Raises what the client raises, or TimeoutError."""
    with anyio.fail_after(LISTING_SECONDS):
        return list((await client.models.list()).data)


@asynccontextmanager
async def open_client(base_url: str, key: str, *, keep_alive: bool = True) -> AsyncIterator[AsyncOpenAI]:
    """A client of the `openai` package on its aiohttp transport, without retries of its own.

    keep_alive: False for a server that closes its connections after each stream without saying so, as llama.cpp's does.
    A server on this machine is asked directly, whatever proxy the environment names.
    """
    from openai import AsyncOpenAI, DefaultAioHttpClient

    transport = DefaultAioHttpClient(trust_env=not _is_loopback(base_url))
    headers = None if keep_alive else {"Connection": "close"}
    async with AsyncOpenAI(
        base_url=base_url, api_key=key, max_retries=0, http_client=transport, default_headers=headers
    ) as client:
        yield client


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def some_of(names: list[str]) -> str:
    """The names in a line, of a long list only the first."""
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
