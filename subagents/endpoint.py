"""An endpoint: a model behind one or several replicas, which may change while it is used.

A request goes to the replica with the least requests outstanding, of those that take any: a replica whose breaker is
open, or that is being drained, gets none. What failed at one replica is better tried at another, so that the retry
loop names those that it has tried.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from decimal import Decimal

import anyio

from subagents.errors import EndpointUnknown
from subagents.failures import AttemptFailed
from subagents.messages import ChatReply, ChatRequest, TokenUsage
from subagents.replicas import Replica, Seat

OpenReplica = Callable[[str], Awaitable[Replica]]
"""Opens a replica of the same model at another base URL. Raises `EndpointUnknown`."""


class Endpoint:
    """A model that can be asked. `name` is its endpoint string, without secrets."""

    def __init__(
        self,
        name: str,
        replicas: Collection[Replica],
        open_replica: OpenReplica | None = None,
        *,
        tools: bool | None = None,
    ) -> None:
        self.name = name
        self.model = next(iter(replicas)).model
        self._tools = tools
        self._replicas = list(replicas)
        self._open_replica = open_replica
        self._choices = 0

    @property
    def replicas(self) -> tuple[Replica, ...]:
        """The replicas, those that are being drained among them."""
        return tuple(self._replicas)

    @property
    def supports_tools(self) -> bool | None:
        """Whether the model may be given tools. None is not known."""
        return False if any(replica.known.tools is False for replica in self._replicas) else self._tools

    @supports_tools.setter
    def supports_tools(self, supported: bool) -> None:
        self._tools = supported

    @property
    def context_tokens(self) -> int | None:
        """Tokens of prompt and reply together, of the smallest replica; None where no server says."""
        stated = (replica.known.context_tokens for replica in self._replicas)
        return min((tokens for tokens in stated if tokens is not None), default=None)

    @property
    def probe_in(self) -> float:
        """Seconds until some replica takes a request; 0 where one does now."""
        usable = [replica for replica in self._replicas if not replica.draining]
        return min((replica.upstream.breaker.seconds_left for replica in usable), default=0.0)

    def price(self, usage: TokenUsage) -> Decimal | None:
        """US dollars for so many tokens, at the dearest replica; None where that is not known."""
        prices = [replica.price(usage) for replica in self._replicas]
        known = [price for price in prices if price is not None]
        return max(known, default=None) if len(known) == len(prices) else None

    async def chat(
        self, request: ChatRequest, *, timeout: float, on_text: Callable[[str], None] | None = None
    ) -> ChatReply:
        """One attempt at the replica whose turn it is. Raises `AttemptFailed`."""
        ends = anyio.current_time() + timeout
        seat = await self.seat(timeout=timeout)
        return await seat.chat(request, timeout=max(0.0, ends - anyio.current_time()), on_text=on_text)

    async def seat(self, tried: Collection[Replica] = (), *, timeout: float | None = None) -> Seat:
        """A seat at the best replica, if possible none of those that were tried, as soon as there is one.

        Raises `AttemptFailed`: at once with the cause `open` where no replica takes requests, or with `timeout`.
        """
        ends = None if timeout is None else anyio.current_time() + timeout
        while True:
            replica = self._chosen(tried)
            try:
                seat = await replica.seat(None if ends is None else ends - anyio.current_time())
            except TimeoutError:
                raise AttemptFailed("timeout", "its turn did not come in time", sent=False) from None
            if seat is not None:
                return seat

    def has_other(self, tried: Collection[Replica]) -> bool:
        """Whether a replica takes requests that was not tried."""
        return any(replica.is_open and replica not in tried for replica in self._replicas)

    def _chosen(self, tried: Collection[Replica]) -> Replica:
        usable = [replica for replica in self._replicas if replica.is_open]
        usable = [replica for replica in usable if replica not in tried] or usable
        if not usable:
            raise self._closed()
        self._choices += 1
        best = min(usable, key=lambda replica: (replica.taken, replica.chosen))
        best.chosen = self._choices
        return best

    def _closed(self) -> AttemptFailed:
        told = [
            f"{replica.name!r} is being drained" if replica.draining else f"{replica.name!r}: {replica.upstream.breaker.told()}"
            for replica in self._replicas
        ]  # fmt: skip
        return AttemptFailed("open", "; ".join(told), sent=False)

    # -- while it is used -------------------------------------------------------------------------------------

    async def add(self, base_url: str) -> Replica:
        """Open one more replica of the model. Raises `EndpointUnknown`."""
        if self._open_replica is None:
            raise EndpointUnknown(f"{self.name!r} takes no further replicas; it is an engine of this process")
        replica = await self._open_replica(base_url)
        self._replicas.append(replica)
        return replica

    async def drain(self, base_url: str) -> None:
        """Send the replica no new requests, and wait until the outstanding ones have ended."""
        replica = self._at(base_url)
        replica.draining = True
        await replica.idle()

    def resume(self, base_url: str) -> None:
        """Send a drained replica requests again."""
        self._at(base_url).draining = False

    async def remove(self, base_url: str) -> None:
        """Drain a replica and take it out; the only one stays."""
        if len(self._replicas) == 1:
            raise EndpointUnknown(f"{base_url!r} is the only replica of {self.name!r}; add another first")
        await self.drain(base_url)
        self._replicas.remove(self._at(base_url))

    async def replace(self, base_url: str, by: str) -> None:
        """Open a replica, and remove another when its outstanding requests have ended."""
        await self.add(by)
        await self.remove(base_url)

    def _at(self, base_url: str) -> Replica:
        for replica in self._replicas:
            if replica.base_url == base_url.rstrip("/"):
                return replica
        there = ", ".join(replica.base_url for replica in self._replicas)
        raise EndpointUnknown(f"{self.name!r} has no replica at {base_url!r}; there is {there}")
