"""A real openai client for a loopback server, on the transport that the project uses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest
from openai import AsyncOpenAI, DefaultAioHttpClient

from dynaflow.testing import LoopbackServer

Connect = Callable[[LoopbackServer], AsyncOpenAI]


@pytest.fixture
async def connect(anyio_backend: str) -> AsyncIterator[Connect]:
    async with AsyncExitStack() as clients:

        def connected(server: LoopbackServer) -> AsyncOpenAI:
            transport = DefaultAioHttpClient()
            client = AsyncOpenAI(base_url=server.base_url, api_key="test", max_retries=0, http_client=transport)
            clients.push_async_callback(client.close)
            return client

        yield connected
