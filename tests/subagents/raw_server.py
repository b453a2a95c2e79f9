"""A server on loopback that sends what a test makes it send, well-formed or not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

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


def events(*data: str) -> Answer:
    """A stream of server-sent events."""
    text = "".join(f"data: {item}\n\n" for item in data)
    return lambda _: web.Response(text=text, content_type="text/event-stream")
