"""The socket of a loopback server: starting it on a free port, and stopping it without waiting for anybody.

Stopping aborts every connection, which cancels the handlers on them as if their clients had gone away, and then lets
the event loop run until the sockets are closed, so that nothing is left for the garbage collector to warn of.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from aiohttp import web


@dataclass(slots=True)
class Listening:
    """A listening socket and the connections that it took. `port` is None while it does not listen."""

    port: int | None = None
    stopping: bool = False
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    """Set by the server while no request is in flight."""
    _runner: web.AppRunner | None = None

    async def start(self, app: web.Application) -> None:
        self.idle.set()
        # The handler is cancelled when its client goes away; that is how cancelled streams are seen.
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        self.port = site.port

    async def stop(self) -> None:
        if self._runner is None:
            return
        await _pass()  # clients that have gone already are counted as gone
        self.stopping = True
        for site in self._runner.sites:
            await site.stop()  # a client that is cut off finds nobody when it tries again
        for connection in self._runner.server.connections if self._runner.server else ():
            if connection.transport is not None:
                connection.transport.abort()
        await self.idle.wait()
        await self._runner.cleanup()
        await _pass()  # the aborted transports close their sockets in the next rounds of the loop
        self.port = None


async def _pass() -> None:
    for _ in range(5):
        await asyncio.sleep(0)
