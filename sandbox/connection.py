"""A byte stream over one end of a Unix socket pair, which can also hand over descriptors.

anyio has such a stream, but its asyncio version gives a readable socket's future a result for each time that the loop
finds it readable, and the second time, which happens under load, ends in an error on the terminal.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence

import anyio
import anyio.abc


class Connection(anyio.abc.ByteStream):
    """One end of a socket pair. Errors are those of anyio's byte streams."""

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._socket = end

    async def receive(self, max_bytes: int = 65_536) -> bytes:
        """Bytes that have arrived, at least one. Raises `EndOfStream` when the peer has closed its end."""
        while True:
            try:
                data = self._socket.recv(max_bytes)
            except BlockingIOError:
                await anyio.wait_readable(self._socket)
                continue
            except OSError as error:
                raise self._failure() from error
            if not data:
                raise anyio.EndOfStream
            return data

    async def send(self, item: bytes) -> None:
        """Write all of it."""
        view = memoryview(item)
        while view:
            try:
                view = view[self._socket.send(view) :]
            except BlockingIOError:
                await anyio.wait_writable(self._socket)
            except OSError as error:
                raise self._failure() from error

    async def send_fds(self, message: bytes, descriptors: Sequence[int]) -> None:
        """Write a short message with descriptors."""
        while True:
            try:
                socket.send_fds(self._socket, [message], list(descriptors))
            except BlockingIOError:
                await anyio.wait_writable(self._socket)
            except OSError as error:
                raise self._failure() from error
            else:
                return

    async def send_eof(self) -> None:
        """Tell the peer that nothing more comes."""
        self._socket.shutdown(socket.SHUT_WR)

    async def aclose(self) -> None:
        """Close this end; whoever waits on it gets `ClosedResourceError`."""
        if self._socket.fileno() >= 0:
            anyio.notify_closing(self._socket)
            self._socket.close()

    def _failure(self) -> Exception:
        return anyio.ClosedResourceError() if self._socket.fileno() < 0 else anyio.BrokenResourceError()
