"""Replies that fail, each as a real server fails: pass one where a rule's reply goes.

The wordings are those of the servers themselves, since clients have to tell these failures apart by them: llama.cpp's
as its server of 2026 was seen to send it, vLLM's and OpenAI's as their users report them.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from dynaflow.testing.reply import ErrorReply, Reply, Responder
from dynaflow.testing.request import Request

Style: TypeAlias = Literal["openai", "llama.cpp", "vllm"]
"""Whose manner a server follows where OpenAI-compatible servers differ."""

_WORDS = {
    400: ("The request is not valid.", "invalid_request_error", None),
    401: ("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
    403: ("You are not allowed to use this model.", "invalid_request_error", "access_denied"),
    404: ("The model does not exist or you do not have access to it.", "invalid_request_error", "model_not_found"),
    429: ("Rate limit reached for requests.", "requests", "rate_limit_exceeded"),
    500: ("The server had an error while processing your request.", "server_error", None),
    503: ("The engine is currently overloaded, please try again later.", "server_error", None),
}


def status(status: int, *, message: str | None = None, retry_after: float | None = None) -> ErrorReply:
    """An HTTP error such as 401, 404, 429, 500 or 503; `retry_after` (seconds) becomes the header Retry-After."""
    words, kind, code = _WORDS.get(status, (f"Error {status}.", "server_error" if status >= 500 else "error", None))
    return ErrorReply(status, message or words, type=kind, code=code, retry_after=retry_after)


def cut(text: str = "this reply is cut before its end", *, after: int = 2) -> Reply:
    """A half-closed stream: the connection is closed after `after` chunks; after 0, before the first byte."""
    return Reply(text, cut_after=after)


def stalled(text: str = "this reply never comes to its end", *, after: int = 0) -> Reply:
    """A stream that hangs after `after` chunks until the client goes away; after 0, before the first byte."""
    return Reply(text, stall_after=after)


def blank(text: str = "") -> Reply:
    """A reply that ends well and says nothing; `text` may be white space."""
    return Reply(text)


def truncated(text: str = "a reply that was longer than") -> Reply:
    """A reply that reached the limit of tokens: finish reason `length`."""
    return Reply(text, finish_reason="length")


def filtered(text: str = "") -> Reply:
    """A reply that a content filter stopped: finish reason `content_filter`."""
    return Reply(text, finish_reason="content_filter")


def refused(text: str = "I can't help with that.") -> Reply:
    """A refusal, in the field that OpenAI has for it."""
    return Reply(refusal=text)


def without_usage(text: str) -> Reply:
    """A good reply for which the server tells no token counts."""
    return Reply(text, usage=False)


def context_overflow(style: Style = "openai", *, window: int = 4096) -> Responder:
    """A 400 that says the messages do not fit a window of `window` tokens, in the server's own words.

    The size that it reports is the request's own, or just over the window where the request is smaller than that.
    """
    return lambda request: _overflow(style, window, max(request.prompt_tokens, window + 1), request)


def _overflow(style: Style, window: int, size: int, request: Request) -> ErrorReply:
    if style == "llama.cpp":
        message = f"request ({size} tokens) exceeds the available context size ({window} tokens), try increasing it"
        sizes = {"n_prompt_tokens": size, "n_ctx": window}
        return ErrorReply(400, message, type="exceed_context_size_error", code=400, details=sizes)
    limit = f"This model's maximum context length is {window} tokens. However, "
    if style == "vllm":
        wanted = request.max_completion_tokens or request.max_tokens or 0
        message = (
            f"{limit}you requested {wanted} output tokens and your prompt contains at least {size} input tokens, for "
            f"a total of at least {wanted + size} tokens. Please reduce the length of the input prompt or the number "
            "of requested output tokens."
        )
        return ErrorReply(400, message, type="BadRequestError", code=400, param="input_tokens")
    message = f"{limit}your messages resulted in {size} tokens. Please reduce the length of the messages."
    return ErrorReply(400, message, code="context_length_exceeded", param="messages")
