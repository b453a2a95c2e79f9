"""A shape as others read it: as a JSON schema for a server, and in words for a person or a model."""

from __future__ import annotations

import json

from pydantic import JsonValue

from subagents.shapes import WRAPPED, Choice, Either, Fields, Many, Mapped, Shape, Simple, is_object

_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "none": "null"}
_WORDS = {"str": "text", "int": "whole number", "float": "number", "bool": "true | false", "none": "null"}


def json_schema(shape: Shape) -> dict[str, JsonValue]:
    """A JSON schema with an object at its root, closed and with all fields required, as strict servers want it."""
    return _schema(shape) if is_object(shape) else _record({WRAPPED: _schema(shape)})


def describe(shape: Shape) -> str:
    """The shape in a form that a person or a model reads, e.g. {"verdict": "correct" | "wrong", "reason": text}."""
    match shape:
        case Simple(kind=kind):
            return _WORDS.get(kind, "anything")
        case Choice(values=values):
            return " | ".join(json.dumps(value, ensure_ascii=False) for value in values)
        case Many(item=item):
            return f"[{describe(item)}, ...]"
        case Mapped(value=value):
            return f'{{"key": {describe(value)}, ...}}'
        case Either(options=options):
            return " | ".join(map(describe, options))
        case Fields(fields=fields):
            parts = (
                f'"{name}": {describe(field.shape)}{"" if field.required else " | null"}'
                for name, field in fields.items()
            )
            return "{" + ", ".join(parts) + "}"


def describe_json(shape: Shape) -> str:
    """The JSON that a reply of the shape is, wrapped as in its schema."""
    return describe(shape) if is_object(shape) else f'{{"{WRAPPED}": {describe(shape)}}}'


def _schema(shape: Shape) -> dict[str, JsonValue]:
    match shape:
        case Simple(kind=kind):
            return {"type": _TYPES[kind]} if kind in _TYPES else {}
        case Choice(values=values):
            return _choice(values)
        case Many(item=item):
            return {"type": "array", "items": _schema(item)}
        case Mapped(value=value):
            return {"type": "object", "additionalProperties": _schema(value)}
        case Either(options=options):
            return {"anyOf": [_schema(option) for option in options]}
        case Fields(fields=fields):
            return _record(
                {
                    name: _schema(field.shape)
                    if field.required
                    else {"anyOf": [_schema(field.shape), {"type": "null"}]}
                    for name, field in fields.items()
                }
            )


def _record(properties: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _choice(values: tuple[str | int | bool, ...]) -> dict[str, JsonValue]:
    """One enum for each JSON type among the values: strict servers want every enum typed."""
    by_type: dict[str, list[JsonValue]] = {}
    for value in values:
        by_type.setdefault(_TYPES[type(value).__name__], []).append(value)
    first, *others = [dict[str, JsonValue](type=kind, enum=members) for kind, members in by_type.items()]
    return {"anyOf": [first, *others]} if others else first
