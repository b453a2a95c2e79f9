"""The one retry loop: transient failures of an endpoint are tried again, every attempt leaves a record."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_random_exponential

from subagents.client import AttemptFailed, Endpoint
from subagents.errors import AgentUnavailable, CallFailed, CallTimeout, ContextOverflow, EmptyReply
from subagents.messages import Attempt, ChatReply, ChatRequest, TokenUsage

MAX_ATTEMPTS = 4
MAX_WAIT = 30.0
_BACKOFF = wait_random_exponential(multiplier=0.5, max=8.0)

Record = Callable[[Attempt], Awaitable[None]]


async def chat(
    endpoint: Endpoint,
    request: ChatRequest,
    *,
    timeout: float,
    on_text: Callable[[str], None] | None = None,
    on_attempt: Record | None = None,
) -> ChatReply:
    """Ask an endpoint until it replies, at most `MAX_ATTEMPTS` times and `timeout` seconds.

    Raises a `CallFailed`: `CallTimeout`, `ContextOverflow`, `EmptyReply` or `AgentUnavailable`.
    """
    try:
        with anyio.fail_after(timeout):
            return await _retrying(endpoint, request, timeout, on_text, on_attempt)
    except TimeoutError:
        raise CallTimeout(f"{endpoint.name!r} gave no reply within {timeout:g} seconds", cause="timeout") from None
    except AttemptFailed as error:
        raise _final(endpoint, error) from None


async def _retrying(
    endpoint: Endpoint,
    request: ChatRequest,
    timeout: float,
    on_text: Callable[[str], None] | None,
    on_attempt: Record | None,
) -> ChatReply:
    waits: list[float] = []

    def wait(state: RetryCallState) -> float:
        waits.append(_wait(state))
        return waits[-1]

    async def attempt() -> ChatReply:
        started = anyio.current_time()
        try:
            reply = await endpoint.chat(request, timeout=timeout, on_text=on_text)
        except AttemptFailed as error:
            await _record(endpoint, on_attempt, started, error.usage, error)
            raise
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await _record(endpoint, on_attempt, started, TokenUsage(known=False), None, cancelled=True)
            raise
        await _record(endpoint, on_attempt, started, reply.usage, None)
        return reply

    retrying = AsyncRetrying(
        retry=retry_if_exception(lambda error: isinstance(error, AttemptFailed) and error.transient),
        stop=stop_after_attempt(MAX_ATTEMPTS), wait=wait, sleep=anyio.sleep, reraise=True,
    )  # fmt: skip
    return await retrying(attempt)


def _wait(state: RetryCallState) -> float:
    """Seconds until the next attempt: what the server asked for, else exponential with full jitter."""
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, AttemptFailed) and error.retry_after is not None:
        return min(error.retry_after, MAX_WAIT)
    return float(_BACKOFF(state))


async def _record(
    endpoint: Endpoint,
    on_attempt: Record | None,
    started: float,
    usage: TokenUsage,
    error: AttemptFailed | None,
    *,
    cancelled: bool = False,
) -> None:
    if on_attempt is None:
        return
    await on_attempt(
        Attempt(
            endpoint=endpoint.name, seconds=anyio.current_time() - started, usage=usage,
            outcome="failed" if error or cancelled else "ok",
            cause="cancelled" if cancelled else error.cause if error else None,
            retry_after=error.retry_after if error else None,
        )
    )  # fmt: skip


def _final(endpoint: Endpoint, error: AttemptFailed) -> CallFailed:
    message = f"{endpoint.name!r}: {error}"
    if error.cause == "context":
        return ContextOverflow(message, cause=error.cause)
    if error.cause in ("blank", "length", "refused"):
        return EmptyReply(message, cause=error.cause)
    if error.cause == "timeout":
        return CallTimeout(message, cause=error.cause)
    return AgentUnavailable(message, cause=error.cause)
