"""A server on loopback that sends what a test makes it send, well-formed or not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
from aiohttp import web
from anyio.abc import SocketAttribute, SocketStream

_NOTHING = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
Answer = Callable[[web.Request], web.StreamResponse | Awaitable[web.StreamResponse]]


@asynccontextmanager
async def raw_server(models: Answer | None = None, chat: Answer | None = None) -> AsyncIterator[str]:
    """Serve, and give the base URL."""

    async def handle(request: web.Request) -> web.StreamResponse:
        answer = models if request.path.endswith("/models") else chat
        if answer is None:
            return web.Response(status=404)
        reply = answer(request)
        return reply if isinstance(reply, web.StreamResponse) else await reply

    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield f"http://127.0.0.1:{site.port}/v1"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def raw_socket(reply: bytes) -> AsyncIterator[str]:
    """Send these bytes and close, whatever is asked of a chat; there is no list of models."""

    async def handle(stream: SocketStream) -> None:
        async with stream:
            try:
                asked = await stream.receive()
                await stream.send(reply if asked.startswith(b"POST") else _NOTHING)
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                pass

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, handle)
        yield f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}/v1"
        tasks.cancel_scope.cancel()


def events(*data: str) -> Answer:
    """A stream of server-sent events."""
    text = "".join(f"data: {item}\n\n" for item in data)
    return lambda _: web.Response(text=text, content_type="text/event-stream")
