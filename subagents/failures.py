"""What can go wrong with one request to an endpoint, told apart by what can be done about it.

`AttemptFailed.transient` says whether asking again may help. Servers word the same refusal differently, so a status
is read together with the error's code and, for a context that is too long, with its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from subagents.messages import TokenUsage

if TYPE_CHECKING:
    from openai import APIStatusError

    from subagents.streaming import Collected

_LONGEST_MESSAGE = 500
_CONTEXT_WORDS = re.compile(
    r"context.?(length|size|window)|exceed_context|maximum context|too many tokens|prompt is too long", re.IGNORECASE
)


class AttemptFailed(Exception):
    """One request to an endpoint brought no usable reply.

    cause: one word, or the HTTP status. transient: whether asking again may help. retry_after: seconds that the
    server asks to wait. param: the request's parameter that the server refused. learnt: whether the refusal taught
    how to ask, so that asking again will do. sent: whether a request left at all.
    """

    def __init__(
        self,
        cause: str,
        message: str,
        *,
        transient: bool = False,
        retry_after: float | None = None,
        usage: TokenUsage | None = None,
        param: str | None = None,
        learnt: bool = False,
        sent: bool = True,
    ) -> None:
        super().__init__(message)
        self.cause = cause
        self.transient = transient
        self.retry_after = retry_after
        self.usage = usage or TokenUsage()
        self.param = param
        self.learnt = learnt
        self.sent = sent


@contextmanager
def told_apart(collected: Collected) -> Iterator[None]:
    """Turns whatever the client raises into `AttemptFailed`, with the usage that had arrived."""
    try:
        yield
    except Exception as error:
        failed = _failure(error, collected.usage)
        if failed is None:
            raise
        raise failed from None


def client_errors() -> tuple[type[Exception], ...]:
    """What asking a server through the client may raise."""
    import aiohttp
    import httpx2
    import openai

    unreadable = (ValueError, TypeError, AttributeError)  # the client's, for data that it did not expect
    return (openai.OpenAIError, httpx2.HTTPError, aiohttp.ClientError, TimeoutError, *unreadable)


def _failure(error: Exception, usage: TokenUsage) -> AttemptFailed | None:
    import aiohttp
    import httpx2
    import openai

    causes = list(_causes(error))
    match next((cause for cause in causes if isinstance(cause, aiohttp.ClientError)), error):
        case AttemptFailed():
            return None
        case aiohttp.ClientConnectorError() | aiohttp.ConnectionTimeoutError() | httpx2.ConnectError():
            return AttemptFailed("connect", f"cannot reach the endpoint: {_line(causes[-1])}", transient=True)
        case TimeoutError() | openai.APITimeoutError() | httpx2.TimeoutException():
            return AttemptFailed("timeout", "the endpoint did not reply in time", transient=True, usage=usage)
        case openai.APIStatusError() as refusal:
            return _status(refusal)
        case aiohttp.ClientError() | openai.APIConnectionError() | httpx2.HTTPError():
            message = f"the connection broke before the reply was whole: {_line(causes[-1])}"
            return AttemptFailed("cut", message, transient=True, usage=usage)
        case openai.APIError() as told if _CONTEXT_WORDS.search(told.message):
            return AttemptFailed("context", f"the request was refused: {_line(told)}", usage=usage)
        case openai.APIError() as told:
            return AttemptFailed("server", f"the endpoint reported: {_line(told)}", transient=True, usage=usage)
        case ValueError() | TypeError() | AttributeError():  # data that is no stream of chunks
            message = f"the endpoint sent what cannot be read: {_line(error)}"
            return AttemptFailed("garbled", message, transient=True, usage=usage)
    return None


def told_by(error: APIStatusError) -> str:
    """What the server says of its refusal, in one line."""
    said = error.message.removeprefix(f"Error code: {error.status_code}").removeprefix(" - ")
    return _line(said or error.body or error.response.reason_phrase or "it does not say why")


def _status(error: APIStatusError) -> AttemptFailed:
    status, message, code = error.status_code, told_by(error), str(error.code or "")
    if status in (401, 403):
        return AttemptFailed(str(status), f"not authorised ({status}): {message}; check the API key")
    if status == 404:
        return AttemptFailed("404", f"not found (404): {message}")
    if status in (400, 413, 422):
        cause = "context" if _CONTEXT_WORDS.search(f"{message} {code} {error.body}") else "request"
        return AttemptFailed(cause, f"the request was refused ({status}): {message}", param=error.param)
    may_retry = error.response.headers.get("x-should-retry") != "false" and code != "insufficient_quota"
    return AttemptFailed(
        str(status),
        f"status {status}: {message}",
        transient=may_retry and (status in (408, 409, 429) or status >= 500),
        retry_after=_retry_after(error),
    )


def _retry_after(error: APIStatusError) -> float | None:
    """Seconds that the server asks to wait: a number, or a date."""
    headers = error.response.headers
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        return max(0.0, float(headers["retry-after"])) if "retry-after" in headers else None
    except ValueError:
        return _until(headers.get("retry-after", ""))


def _until(date: str) -> float | None:
    try:
        when = parsedate_to_datetime(date)
    except ValueError:
        return None
    return max(0.0, (when - datetime.now(UTC)).total_seconds()) if when.tzinfo else None


def _line(said: object) -> str:
    line = " ".join(str(said).split())
    return line if len(line) <= _LONGEST_MESSAGE else f"{line[:_LONGEST_MESSAGE]} …"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what it came from, the root last."""
    yield error
    if error.__cause__ is not None:
        yield from _causes(error.__cause__)
