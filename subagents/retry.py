"""The one retry loop: transient failures of an endpoint are tried again, and every request leaves one record.

What failed at one replica is asked at once of another that was not tried yet. Otherwise a server's Retry-After is
honoured as it stands, and where every replica's breaker is open the next probe is waited for; where that takes longer
than `MAX_WAIT` or than the time that is left, the loop gives up at once instead of waiting for nothing. Without either,
waits grow exponentially, with full jitter. A request that finds every breaker open before anything was sent for it fails
at once. A blank reply is asked for again once: servers that batch seldom say the same twice, and a blank costs next to
nothing. A refusal that taught how to ask is no failure, and takes nothing from the budget of retries.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_random_exponential

from subagents.endpoint import Endpoint
from subagents.errors import AgentUnavailable, CallFailed, CallTimeout, ContextOverflow, EmptyReply
from subagents.failures import AttemptFailed
from subagents.messages import UNKNOWN_USAGE, Attempt, ChatReply, ChatRequest, TokenUsage
from subagents.replicas import Replica, Seat
from subagents.specs import RETRIES

MAX_WAIT = 30.0
_BACKOFF = wait_random_exponential(multiplier=0.5, max=8.0)

Record = Callable[[Attempt], Awaitable[None]]


@dataclass(slots=True)
class Retries:
    """How often something may still be tried again; one budget may serve several requests."""

    left: int = RETRIES


async def chat(
    endpoint: Endpoint,
    request: ChatRequest,
    *,
    timeout: float,  # seconds of all attempts and waits together; raises CallTimeout, not TimeoutError
    retries: Retries | None = None,
    on_text: Callable[[str], None] | None = None,
    on_attempt: Record | None = None,
) -> ChatReply:
    """Ask an endpoint until it replies, within `timeout` seconds and as often as `retries` allows.

    Raises a `CallFailed`: `CallTimeout`, `ContextOverflow`, `EmptyReply` or `AgentUnavailable`.
    """
    ends = anyio.current_time() + timeout
    loop = _Loop(endpoint, request, retries or Retries(), on_text, on_attempt, ends)
    try:
        return await loop.run()
    except AttemptFailed as error:
        raise _final(endpoint, error, timeout) from None


@dataclass(slots=True)
class _Loop:
    """The attempts of one request."""

    endpoint: Endpoint
    request: ChatRequest
    retries: Retries
    on_text: Callable[[str], None] | None
    on_attempt: Record | None
    ends: float
    """When the time is over, on the clock of the event loop."""
    asked: Replica | None = None
    """Whom the latest attempt asked."""
    tried: list[Replica] = field(default_factory=list)
    """Replicas that failed one after the other, without a wait between."""
    waited: float = 0.0
    seconds: float = 0.0
    """Of the latest attempt: in the queue, and from the request to its end."""
    blanks: int = 0

    async def run(self) -> ChatReply:
        retrying = AsyncRetrying(
            retry=retry_if_exception(self._is_worth_another),
            stop=self._is_enough,
            wait=self._wait,
            sleep=anyio.sleep,
            before_sleep=self._before_sleep,
            reraise=True,
        )
        try:
            return await retrying(self._attempt)
        except AttemptFailed as error:
            await self._record_failure(error)
            raise

    async def _attempt(self) -> ChatReply:
        seat = await self._seat()
        began = anyio.current_time()
        try:
            left = max(0.0, self.ends - began)
            reply = await seat.chat(self.request, timeout=left, on_text=self.on_text)
        except AttemptFailed as error:
            self.seconds = anyio.current_time() - began
            self.blanks += error.cause == "blank"
            raise
        except anyio.get_cancelled_exc_class():
            self.seconds = anyio.current_time() - began
            late = anyio.current_time() >= self.ends  # the caller's own deadline may be seen first
            with anyio.CancelScope(shield=True):
                await self._record(UNKNOWN_USAGE, "timeout" if late else "cancelled", transient=late)
            raise
        self.seconds = anyio.current_time() - began
        await self._record(reply.usage, None)
        return reply

    async def _seat(self) -> Seat:
        began = anyio.current_time()
        seat = await self.endpoint.seat(self.tried, timeout=self.ends - began)
        self.waited = anyio.current_time() - began
        self.asked = seat.replica
        return seat

    def _is_worth_another(self, error: BaseException) -> bool:
        if not isinstance(error, AttemptFailed):
            return False
        if error.cause == "open":  # found on the way: a probe may be waited for
            return self.asked is not None
        return self.blanks == 1 if error.cause == "blank" else error.transient

    def _is_enough(self, state: RetryCallState) -> bool:
        wait, error = state.upcoming_sleep, _error(state)
        out_of_time = anyio.current_time() + wait >= self.ends
        return (self.retries.left <= 0 and not error.learnt) or wait > MAX_WAIT or out_of_time

    def _wait(self, state: RetryCallState) -> float:
        """Seconds until the next attempt."""
        error = _error(state)
        if error.learnt or (error.transient and self.endpoint.has_other([*self.tried, *self._latest()])):
            return 0.0
        if error.retry_after is not None:
            return max(error.retry_after, self.endpoint.probe_in)
        return self.endpoint.probe_in + float(_BACKOFF(state))

    async def _before_sleep(self, state: RetryCallState) -> None:
        error = _error(state)
        self.tried = [*self.tried, *self._latest()] if not state.upcoming_sleep and not error.learnt else []
        self.retries.left -= not error.learnt
        await self._record_failure(error, wait=state.upcoming_sleep)

    def _latest(self) -> list[Replica]:
        return [] if self.asked is None else [self.asked]

    async def _record_failure(self, error: AttemptFailed, *, wait: float | None = None) -> None:
        if error.sent:
            await self._record(error.usage, error.cause, transient=error.transient, wait=wait)

    async def _record(
        self, usage: TokenUsage, cause: str | None, *, transient: bool | None = None, wait: float | None = None
    ) -> None:
        if self.on_attempt is None or self.asked is None:
            return
        attempt = Attempt(
            endpoint=self.asked.name,
            seconds=self.seconds,
            waited=self.waited,
            usage=usage,
            cost=self.asked.price(usage),
            outcome="failed" if cause else "ok",
            cause=cause,
            transient=transient,
            retry_after=wait,
        )
        await self.on_attempt(attempt)


def _error(state: RetryCallState) -> AttemptFailed:
    """The failure that is retried; only such a one is asked about."""
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, AttemptFailed), "only a failed attempt is followed by another"
    return error


def _final(endpoint: Endpoint, error: AttemptFailed, seconds: float) -> CallFailed:
    message = f"{endpoint.name!r}: {error}"
    match error.cause:
        case "context":
            return ContextOverflow(message, cause=error.cause)
        case "blank" | "length" | "refused":
            return EmptyReply(message, cause=error.cause)
        case "timeout" if error.sent:
            message = f"{endpoint.name!r} gave no reply within {round(seconds, 1):g} seconds"
            return CallTimeout(message, cause=error.cause)
        case "timeout":
            message = f"{endpoint.name!r} had no free slot within {round(seconds, 1):g} seconds"
            return CallTimeout(message, cause=error.cause)
        case "open":
            return AgentUnavailable(str(error), cause=error.cause)
    if error.retry_after:
        message = f"{message} (it asks to wait {error.retry_after:g} seconds)"
    return AgentUnavailable(message, cause=error.cause)
