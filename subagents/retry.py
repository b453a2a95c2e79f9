"""The one retry loop: transient failures of an endpoint are tried again, and every request leaves one record.

A server's Retry-After is honoured as it stands; where it asks for more than `MAX_WAIT` or than the time that is left,
the loop gives up at once instead of waiting for nothing. Otherwise waits grow exponentially, with full jitter. A
blank reply is asked for again once: servers that batch seldom say the same twice, and a blank costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_random_exponential

from subagents.client import Endpoint
from subagents.errors import AgentUnavailable, CallFailed, CallTimeout, ContextOverflow, EmptyReply
from subagents.failures import AttemptFailed
from subagents.messages import Attempt, ChatReply, ChatRequest, TokenUsage

MAX_ATTEMPTS = 4
MAX_WAIT = 30.0
_BACKOFF = wait_random_exponential(multiplier=0.5, max=8.0)

Record = Callable[[Attempt], Awaitable[None]]


async def chat(
    endpoint: Endpoint,
    request: ChatRequest,
    *,
    timeout: float,  # seconds of all attempts together; raises CallTimeout, not TimeoutError
    on_text: Callable[[str], None] | None = None,
    on_attempt: Record | None = None,
) -> ChatReply:
    """Ask an endpoint until it replies, at most `MAX_ATTEMPTS` times and `timeout` seconds.

    Raises a `CallFailed`: `CallTimeout`, `ContextOverflow`, `EmptyReply` or `AgentUnavailable`.
    """
    loop = _Loop(endpoint, request, on_text, on_attempt, ends=anyio.current_time() + timeout)
    try:
        return await loop.run()
    except AttemptFailed as error:
        raise _final(endpoint, error, timeout) from None


@dataclass(slots=True)
class _Loop:
    """The attempts of one request."""

    endpoint: Endpoint
    request: ChatRequest
    on_text: Callable[[str], None] | None
    on_attempt: Record | None
    ends: float
    """When the time is over, on the clock of the event loop."""
    seconds: float = 0.0
    """Of the latest attempt."""
    blanks: int = 0

    async def run(self) -> ChatReply:
        retrying = AsyncRetrying(
            retry=retry_if_exception(self._is_worth_another),
            stop=self._is_enough,
            wait=_wait,
            sleep=anyio.sleep,
            before_sleep=self._record_before_sleep,
            reraise=True,
        )
        try:
            return await retrying(self._attempt)
        except AttemptFailed as error:
            await self._record(error.usage, error.cause)
            raise

    async def _attempt(self) -> ChatReply:
        began = anyio.current_time()
        try:
            reply = await self.endpoint.chat(self.request, timeout=max(0.0, self.ends - began), on_text=self.on_text)
        except AttemptFailed as error:
            self.seconds = anyio.current_time() - began
            self.blanks += error.cause == "blank"
            raise
        except anyio.get_cancelled_exc_class():
            self.seconds = anyio.current_time() - began
            late = anyio.current_time() >= self.ends  # the caller's own deadline may be seen first
            with anyio.CancelScope(shield=True):
                await self._record(TokenUsage(known=False), "timeout" if late else "cancelled")
            raise
        self.seconds = anyio.current_time() - began
        await self._record(reply.usage, None)
        return reply

    def _is_worth_another(self, error: BaseException) -> bool:
        if not isinstance(error, AttemptFailed):
            return False
        return self.blanks == 1 if error.cause == "blank" else error.transient

    def _is_enough(self, state: RetryCallState) -> bool:
        wait = state.upcoming_sleep
        out_of_time = anyio.current_time() + wait >= self.ends
        return state.attempt_number >= MAX_ATTEMPTS or wait > MAX_WAIT or out_of_time

    async def _record_before_sleep(self, state: RetryCallState) -> None:
        error = _error(state)
        assert error is not None, "only a failed attempt is followed by another"
        await self._record(error.usage, error.cause, wait=state.upcoming_sleep)

    async def _record(self, usage: TokenUsage, cause: str | None, *, wait: float | None = None) -> None:
        if self.on_attempt is None:
            return
        attempt = Attempt(
            endpoint=self.endpoint.name,
            seconds=self.seconds,
            usage=usage,
            outcome="failed" if cause else "ok",
            cause=cause,
            retry_after=wait,
        )
        await self.on_attempt(attempt)


def _error(state: RetryCallState) -> AttemptFailed | None:
    error = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, AttemptFailed) else None


def _wait(state: RetryCallState) -> float:
    """Seconds until the next attempt: what the server asked for, else exponential with full jitter."""
    error = _error(state)
    return error.retry_after if error is not None and error.retry_after is not None else float(_BACKOFF(state))


def _final(endpoint: Endpoint, error: AttemptFailed, seconds: float) -> CallFailed:
    message = f"{endpoint.name!r}: {error}"
    match error.cause:
        case "context":
            return ContextOverflow(message, cause=error.cause)
        case "blank" | "length" | "refused":
            return EmptyReply(message, cause=error.cause)
        case "timeout":
            return CallTimeout(
                f"{endpoint.name!r} gave no reply within {round(seconds, 1):g} seconds", cause=error.cause
            )
    if error.retry_after:
        message = f"{message} (it asks to wait {error.retry_after:g} seconds)"
    return AgentUnavailable(message, cause=error.cause)
