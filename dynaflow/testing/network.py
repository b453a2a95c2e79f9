"""A guard for tests: nothing but this machine can be reached while it holds.

It replaces the name look-up and the connecting of Python's own sockets, on which asyncio, httpx2, aiohttp and requests
rest alike. It holds for this process, not for processes that it starts.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import TypeVar
from unittest.mock import patch

T = TypeVar("T")


class RequestLeft(RuntimeError):
    """Something tried to reach another machine; names the address.

    It is no OSError, so that clients do not take it for a failing network and try again.
    """


@contextmanager
def loopback_only() -> Iterator[None]:
    """Refuse every connection and name look-up that is not for this machine with `RequestLeft`."""
    with (
        patch.object(socket.socket, "connect", _connecting(socket.socket.connect)),
        patch.object(socket.socket, "connect_ex", _connecting(socket.socket.connect_ex)),
        patch.object(socket, "getaddrinfo", _looking_up(socket.getaddrinfo)),
    ):
        yield


def _connecting(connect: Callable[..., T]) -> Callable[..., T]:
    def guarded(self: socket.socket, address: object) -> T:
        if self.family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple):
            _check(address[0], address)
        return connect(self, address)

    return guarded


def _looking_up(getaddrinfo: Callable[..., T]) -> Callable[..., T]:
    def guarded(host: object, *args: object, **kwargs: object) -> T:
        _check(host, host)
        return getaddrinfo(host, *args, **kwargs)

    return guarded


def _check(host: object, address: object) -> None:
    name = host.decode() if isinstance(host, bytes) else host
    if name not in (None, "", "localhost") and not _is_loopback(str(name)):
        raise RequestLeft(f"A request to {address!r} would leave this machine; use a LoopbackServer instead")


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
