"""The structured content of a call, and how it is put to a model: instruction, inputs, the shape of what must come back."""

from __future__ import annotations

import json

from pydantic import JsonValue

from subagents.messages import Frozen, Message
from subagents.shapes import Shape, describe, is_text, parse_shape
from subagents.specs import SubAgent


class Exchange(Frozen):
    """What one call asks: an instruction, inputs under labels, and the shape of the reply as plain data."""

    instruction: str
    inputs: JsonValue = None
    shape: JsonValue = None

    def parsed_shape(self) -> Shape:
        """The shape of the reply; text where none was asked for. Raises `ShapeError`."""
        return parse_shape(self.shape)


def opening(agent: SubAgent, exchange: Exchange, *, show_shape: bool) -> tuple[Message, ...]:
    """The messages that put the exchange to the agent, in a fresh context.

    show_shape: whether the shape is described in words (it is not while the agent first reasons freely).
    """
    parts = [*_sections(exchange.inputs), exchange.instruction.strip()]
    shape = exchange.parsed_shape()
    if show_shape and not is_text(shape):
        parts.append(f"Reply with JSON only: {describe(shape)}")
    user = Message(role="user", content="\n\n".join(part for part in parts if part))
    system = agent.instructions.strip()
    return (Message(role="system", content=system), user) if system else (user,)


def _sections(inputs: JsonValue) -> list[str]:
    """Inputs as labelled sections."""
    if inputs is None or inputs in ({}, []):
        return []
    if not isinstance(inputs, dict):
        inputs = {"inputs": inputs}
    return [f"## {label}\n{_rendered(value)}" for label, value in inputs.items()]


def _rendered(value: JsonValue) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(f"{number}. {item}" for number, item in enumerate(value, 1))
    return json.dumps(value, ensure_ascii=False, indent=2) if isinstance(value, dict | list) else json.dumps(value)
