"""The JSON body of a chat request, without what the server is known not to take."""

from __future__ import annotations

from typing import Any

from pydantic import JsonValue

from subagents.capabilities import Capabilities
from subagents.messages import ChatRequest, Message


def chat_body(model: str, request: ChatRequest, known: Capabilities) -> dict[str, Any]:
    """The body of a streamed request."""
    sampling = request.sampling
    limit = "max_completion_tokens" if "max_tokens" in known.refused else "max_tokens"
    body: dict[str, Any] = {
        "model": model,
        "messages": [_as_dict(message) for message in request.messages],
        "temperature": sampling.temperature,
        limit: sampling.max_tokens,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        body["tools"] = [{"type": "function", "function": tool.model_dump()} for tool in request.tools]
    if request.schema_ is not None:
        schema = {"name": "reply", "schema": request.schema_, "strict": is_closed(request.schema_)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return {key: value for key, value in body.items() if value is not None and key not in known.refused}


def is_closed(schema: JsonValue) -> bool:
    """Whether a schema is of the kind that OpenAI's strict mode takes: every value typed, every object closed."""
    if not isinstance(schema, dict):
        return False
    if "anyOf" in schema:
        options = schema["anyOf"]
        return isinstance(options, list) and all(map(is_closed, options))
    match schema.get("type"):
        case "object":
            properties = schema.get("properties", {})
            closed = schema.get("additionalProperties") is False
            return closed and isinstance(properties, dict) and all(map(is_closed, properties.values()))
        case "array":
            return is_closed(schema.get("items"))
    return "type" in schema


def _as_dict(message: Message) -> dict[str, Any]:
    data: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_requests:
        data["tool_calls"] = [
            {"id": tool.id, "type": "function", "function": {"name": tool.name, "arguments": tool.arguments}}
            for tool in message.tool_requests
        ]
    if message.tool_request_id is not None:
        data["tool_call_id"] = message.tool_request_id
    return data
