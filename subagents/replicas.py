"""One replica: a model at one address, asked one request at a time for each seat that is taken at it.

What is known of an address, how many requests it takes (`Limiter`), whether it answers at all (`Breaker`) and what its
models can do (`Capabilities`), is kept once for the process and shared by all runs that use the address with the same
key. The client's own retries are switched off, because a hidden retry would be missing from the journal: what a server
turns out not to understand is remembered, and the retry loop asks again, without it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from time import monotonic
from typing import TYPE_CHECKING

import anyio

from subagents.breaker import Breaker
from subagents.capabilities import Capabilities, Parameter
from subagents.chat_body import chat_body
from subagents.client import listed, some_of, stream_chat
from subagents.failures import AttemptFailed, client_errors, told_apart
from subagents.limiter import Limiter, Outcome
from subagents.messages import ChatReply, ChatRequest, TokenUsage
from subagents.prices import Price, price
from subagents.streaming import Collected

if TYPE_CHECKING:
    from openai import AsyncOpenAI

PATIENCE = 1.0
"""Seconds; that a request which had less time got no reply says nothing of the endpoint."""
_OVERLOAD = frozenset({"429", "503", "529", "timeout"})
_BUSY = frozenset({"408", "409", "429"})
"""Transient, and yet an answer: the endpoint is there."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """What is shared by all who use one address with one key."""

    limiter: Limiter = field(default_factory=Limiter)
    breaker: Breaker = field(default_factory=Breaker)
    models: dict[str, Capabilities] = field(default_factory=dict)


_SHARED: dict[tuple[str, str], Upstream] = {}


def upstream(base_url: str, key: str) -> Upstream:
    """The shared state of an address."""
    return _SHARED.setdefault((base_url, hashlib.sha256(key.encode()).hexdigest()), Upstream())


def forget() -> None:
    """Forget what was learnt of all addresses; what is open goes on with what it knows."""
    _SHARED.clear()


@dataclass(slots=True, eq=False)
class Replica:
    """A model at an address."""

    name: str
    """The endpoint string of this replica alone, without secrets."""
    base_url: str
    model: str
    client: AsyncOpenAI
    upstream: Upstream
    own_price: Price | None = None
    draining: bool = False
    """Whether it gets no new requests."""
    taken: int = 0
    """Seats that were taken and not left, the waiting among them."""
    chosen: int = 0
    """When it was chosen last, counted in choices."""
    _emptied: anyio.Event | None = None

    @property
    def known(self) -> Capabilities:
        """What the model can do here."""
        return self.upstream.models.setdefault(self.model, Capabilities())

    @property
    def is_open(self) -> bool:
        """Whether it takes requests now."""
        return not self.draining and self.upstream.breaker.allows

    def price(self, usage: TokenUsage) -> Decimal | None:
        """US dollars for so many tokens; None where that is not known."""
        return price(self.model, self.base_url, usage) if self.own_price is None else self.own_price.of(usage)

    async def seat(self, timeout: float | None = None) -> Seat | None:
        """Wait for a turn; None where the replica was closed meanwhile. Raises TimeoutError after so many seconds."""
        self.taken += 1
        try:
            await self.upstream.limiter.acquire(timeout)
        except BaseException:
            self.left()
            raise
        ticket = None if self.draining else self.upstream.breaker.admit()
        seat = Seat(self, -1 if ticket is None else ticket)
        if ticket is None:
            seat.leave()
            return None
        return seat

    def left(self) -> None:
        """A seat was given back, or not waited for any longer."""
        self.taken -= 1
        if not self.taken and self._emptied is not None:
            self._emptied.set()

    async def idle(self) -> None:
        """Wait until nobody has a seat, or waits for one."""
        if self.taken:
            self._emptied = self._emptied or anyio.Event()
            await self._emptied.wait()
            self._emptied = None


@dataclass(slots=True)
class Seat:
    """The right to send one request to a replica. `chat` uses it up, and so does `leave`."""

    replica: Replica
    ticket: int

    async def chat(
        self, request: ChatRequest, *, timeout: float, on_text: Callable[[str], None] | None = None
    ) -> ChatReply:
        """One attempt. Raises `AttemptFailed`."""
        began, left_out = monotonic(), frozenset(self.replica.known.refused)
        latency: list[float | None] = [None]
        try:
            reply = await self._ask(request, timeout, on_text, latency)
        except AttemptFailed as error:
            self._report(error, began, latency[0], timeout)
            raise await self._explained(error, request, left_out) from None
        except BaseException:
            late = monotonic() - began >= timeout >= PATIENCE  # the caller's own deadline may be seen first
            if late:
                self.replica.upstream.breaker.failed(self.ticket, "no reply in time")
            self.leave("overload" if late else "other", began)
            raise
        self.replica.upstream.breaker.succeeded(self.ticket)
        self.leave("ok", began, latency[0])
        return reply

    def leave(self, outcome: Outcome = "other", began: float = 0.0, latency: float | None = None) -> None:
        """Give the seat back."""
        self.replica.left()
        self.replica.upstream.breaker.abandoned(self.ticket)
        self.replica.upstream.limiter.release(outcome, began=began, latency=latency)

    async def _ask(
        self,
        request: ChatRequest,
        seconds: float,
        on_text: Callable[[str], None] | None,
        latency: list[float | None],
    ) -> ChatReply:
        replica, collected = self.replica, Collected()
        body = chat_body(replica.model, request, replica.known)
        with told_apart(collected):
            latency[0] = await stream_chat(replica.client, body, collected, timeout=seconds, on_text=on_text)
            reply = collected.reply(replica.model)
        replica.known.usage = reply.usage.known
        return reply

    def _report(self, error: AttemptFailed, began: float, latency: float | None, timeout: float) -> None:
        breaker = self.replica.upstream.breaker
        if error.cause == "timeout" and timeout < PATIENCE:
            self.leave()
            return
        if error.transient and error.cause not in _BUSY:
            breaker.failed(self.ticket, f"the last: {error}")
        else:
            breaker.succeeded(self.ticket)
        self.leave("overload" if error.cause in _OVERLOAD else "other", began, latency)

    async def _explained(
        self, error: AttemptFailed, request: ChatRequest, left_out: frozenset[Parameter]
    ) -> AttemptFailed:
        """The failure, with what there is instead, or with what it taught."""
        if error.cause == "404":
            return AttemptFailed(error.cause, f"{error}{await self._offers()}")
        if error.cause == "request" and self.replica.known.learn(error, request, left_out):
            return AttemptFailed(error.cause, str(error), transient=True, retry_after=0.0, learnt=True)
        return error

    async def _offers(self) -> str:
        try:
            names = [model.id for model in await listed(self.replica.client)]
        except client_errors():
            names = []
        return f"; it has {some_of(names)}" if names else f"; is {str(self.replica.base_url)!r} the right address?"
