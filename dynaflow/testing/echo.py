"""A model that answers anything, deterministically: for benchmarks, and for tests that do not care what is said.

    async with LoopbackServer(ScriptedModel(anyone(echo)), latency=0.2) as server: ...

The reply depends on the request alone: equal requests get equal replies, another seed or temperature gets another
one. Where the request carries a JSON schema, the reply is the smallest value that fits it.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from pydantic import JsonValue

from dynaflow.testing.reply import Reply

if TYPE_CHECKING:
    from dynaflow.testing.request import JsonObject, Request


def echo(request: Request) -> Reply:
    """The reply to any request: a mark and the beginning of what was said last, or the smallest fitting JSON value."""
    mark = _mark(request)
    if request.json_schema is None:
        return Reply(f"echo {mark}: {request.last[:80]}")
    return Reply(json.dumps(_fitting(request.json_schema, request.json_schema, f"echo {mark}")))


def _mark(request: Request) -> str:
    said = [request.model, request.seed, request.temperature, [message.text for message in request.messages]]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:8]


def _fitting(schema: JsonObject, root: JsonObject, text: str) -> JsonValue:
    """The smallest value that fits a schema of the kinds that pydantic writes; strings are `text`."""
    if isinstance(reference := schema.get("$ref"), str):
        return _fitting(_resolved(reference, root), root, text)
    if "const" in schema:
        return schema["const"]
    for key in ("enum", "anyOf", "oneOf", "allOf"):
        choices = schema.get(key)
        if isinstance(choices, list) and choices:
            first = choices[0]
            return _fitting(first, root, text) if key != "enum" and isinstance(first, dict) else first
    return _of_type(schema, root, text)


def _of_type(schema: JsonObject, root: JsonObject, text: str) -> JsonValue:
    match schema.get("type"):
        case "object":
            properties = schema.get("properties")
            named = properties.items() if isinstance(properties, dict) else ()
            return {name: _fitting(inner, root, text) for name, inner in named if isinstance(inner, dict)}
        case "array":
            inner = schema.get("items")
            return [_fitting(inner, root, text)] if isinstance(inner, dict) else []
        case "integer" | "number":
            least = schema.get("minimum", 0)
            return least if isinstance(least, int | float) else 0
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return text


def _resolved(reference: str, root: JsonObject) -> JsonObject:
    target: JsonValue = root
    for step in reference.removeprefix("#/").split("/"):
        target = target[step] if isinstance(target, dict) else None
    return target if isinstance(target, dict) else {}
