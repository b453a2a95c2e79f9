"""The structured content of a call, and how it is put to a model: instruction, inputs, the shape of the reply."""

from __future__ import annotations

import json

from pydantic import JsonValue

from subagents.messages import Frozen, Message
from subagents.shapes import Shape, parse_shape
from subagents.specs import SubAgent


class Exchange(Frozen):
    """What one call asks: an instruction, inputs under labels, and the shape of the reply as plain data."""

    instruction: str
    inputs: JsonValue = None
    shape: JsonValue = None

    def parsed_shape(self) -> Shape:
        """The shape of the reply; text where none was asked for. Raises `ShapeError`."""
        return parse_shape(self.shape)


def opening(agent: SubAgent, exchange: Exchange, wanted: str = "") -> tuple[Message, ...]:
    """The messages that put the exchange to the agent, in a fresh context.

    The inputs come first, each under its label, the instruction last, where a model minds it most.
    wanted: a line behind the instruction that says in which form to reply.
    """
    parts = [*_sections(exchange.inputs), exchange.instruction.strip(), wanted]
    user = Message(role="user", content="\n\n".join(part for part in parts if part))
    system = agent.instructions.strip()
    return (Message(role="system", content=system), user) if system else (user,)


def _sections(inputs: JsonValue) -> list[str]:
    if inputs is None or inputs in ({}, []):
        return []
    labelled = inputs if isinstance(inputs, dict) else {"inputs": inputs}
    return [f"## {label}\n{_rendered(value)}" for label, value in labelled.items()]


def _rendered(value: JsonValue) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list) and value:
        return "\n".join(f"{number}. {_item(item)}" for number, item in enumerate(value, 1))
    return _json(value)


def _item(value: JsonValue) -> str:
    return value.strip() if isinstance(value, str) else _json(value)


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2 if isinstance(value, dict | list) else None)
