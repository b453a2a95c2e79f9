"""Replies in the shapes of the OpenAI protocol: the chunks of a stream, a plain completion, the list of models.

The shapes of streams and of the list of models were compared with those of llama.cpp's server; ids are counted, not
random, so that two runs of a test see the same bytes (but for the time of creation).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pydantic import JsonValue

if TYPE_CHECKING:
    from dynaflow.testing.faults import Style
    from dynaflow.testing.reply import Reply, ToolCall
    from dynaflow.testing.request import JsonObject, Request

DONE = b"data: [DONE]\n\n"


def stream_chunks(request: Request, reply: Reply, number: int, pieces: int) -> Iterator[bytes]:
    """The server-sent events of a streamed reply, without the closing `[DONE]`; each text comes in `pieces` parts."""
    frame = _frame(request, number, "chat.completion.chunk")
    for delta in _deltas(reply, pieces):
        yield _event(frame | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    yield _event(frame | {"choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish}]})
    if request.wants_usage and reply.usage:
        yield _event(frame | {"choices": [], "usage": usage(request, reply)})


def completion(request: Request, reply: Reply, number: int) -> JsonObject:
    """The body of a plain reply."""
    message: JsonObject = {"role": "assistant", "content": reply.text or (None if reply.tool_calls else "")}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.refusal:
        message["refusal"] = reply.refusal
    if reply.tool_calls:
        message["tool_calls"] = [_tool_call(index, call) for index, call in enumerate(reply.tool_calls)]
    choice: JsonObject = {"index": 0, "message": message, "finish_reason": reply.finish}
    body = _frame(request, number, "chat.completion") | {"choices": [choice]}
    return body | {"usage": usage(request, reply)} if reply.usage else body


def usage(request: Request, reply: Reply) -> JsonObject:
    """The token counts of a reply."""
    prompt, completed = request.prompt_tokens, reply.completion_tokens
    return {"prompt_tokens": prompt, "completion_tokens": completed, "total_tokens": prompt + completed}


def models_list(names: Sequence[str], style: Style, context: int | None) -> JsonObject:
    """The body of `/v1/models`; llama.cpp and vLLM tell the context window there, each in its own place."""
    owner = {"llama.cpp": "llamacpp", "vllm": "vllm", "openai": "system"}[style]
    window: JsonObject = {}
    if context is not None and style == "llama.cpp":
        window = {"meta": {"n_ctx": context, "n_ctx_train": max(context, 32768)}}
    if context is not None and style == "vllm":
        window = {"max_model_len": context}
    entries: list[JsonValue] = [
        {"id": name, "object": "model", "created": int(time.time()), "owned_by": owner, **window} for name in names
    ]
    return {"object": "list", "data": entries}


def _deltas(reply: Reply, pieces: int) -> Iterator[JsonObject]:
    yield {"role": "assistant", "content": None if reply.tool_calls else ""}
    for key, text in (("reasoning_content", reply.reasoning), ("content", reply.text), ("refusal", reply.refusal)):
        for part in _parts(text, pieces):
            yield {key: part}
    for index, call in enumerate(reply.tool_calls):
        opening = _tool_call(index, call) | {"index": index, "function": {"name": call.name, "arguments": ""}}
        yield {"tool_calls": [opening]}
        for part in _parts(call.arguments, pieces):
            yield {"tool_calls": [{"index": index, "function": {"arguments": part}}]}


def _tool_call(index: int, call: ToolCall) -> JsonObject:
    function: JsonObject = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id or f"call_{index + 1}", "type": "function", "function": function}


def _parts(text: str, pieces: int) -> list[str]:
    """The text in at most `pieces` parts of about the same length, none of them empty."""
    size = max(1, -(-len(text) // pieces))
    return [text[start : start + size] for start in range(0, len(text), size)]


def _frame(request: Request, number: int, kind: str) -> JsonObject:
    return {"id": f"chatcmpl-{number}", "object": kind, "created": int(time.time()), "model": request.model}


def _event(body: JsonObject) -> bytes:
    return b"data: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n"
