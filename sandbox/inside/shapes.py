"""From the `returns=` of a program to a closed description of a shape, and from a reply back to a value.

A shape is plain data: {"kind": "str" | "int" | "float" | "bool" | "any" | "none"}, {"kind": "literal", "values"},
{"kind": "list", "item"}, {"kind": "dict", "value"}, {"kind": "union", "options"},
{"kind": "record", "name", "fields": {name: {"shape", "required"}}}. Nothing is evaluated: an annotation that
is a string is read as the name of a simple type or refused. Depth and number of fields are limited.
"""

from __future__ import annotations

import dataclasses
import enum
import re
import types
import typing
from collections.abc import Callable, Mapping

Shape = dict[str, object]

MAX_DEPTH = 8
MAX_FIELDS = 64

_SIMPLE: dict[object, str] = {str: "str", int: "int", float: "float", bool: "bool", None: "none", type(None): "none"}
_BY_NAME = {"str": "str", "string": "str", "text": "str", "int": "int", "integer": "int", "float": "float",
            "number": "float", "bool": "bool", "boolean": "bool", "list[str]": "list:str", "list[int]": "list:int",
            "list[float]": "list:float", "Any": "any", "any": "any", "dict": "dict:any", "list": "list:any"}  # fmt: skip
_SCHEMA_WORDS = frozenset({"$schema", "properties", "$ref", "additionalProperties", "$defs", "anyOf", "oneOf", "allOf"})


class ShapeError(TypeError):
    """A `returns=` that cannot be read as a shape."""


def describe(returns: object, depth: int = 0) -> Shape:
    """The shape that `returns` asks for. Raises `ShapeError` with a hint."""
    if depth > MAX_DEPTH:
        raise ShapeError(f"returns= is nested deeper than {MAX_DEPTH}; ask for less in one call")
    simple = _simple(returns)
    if simple is not None:
        return simple
    if isinstance(returns, dict):
        return _from_dict(returns, depth)
    if isinstance(returns, (list, tuple, set, frozenset)):
        return _from_list(list(returns), depth)
    if typing.get_origin(returns) is not None:
        return _from_generic(returns, depth)
    if isinstance(returns, type):
        return _from_class(returns, depth)
    raise ShapeError(
        f'returns={returns!r} is no shape; use str, int, float, bool, list[str], {{"field": str}} or an annotated class'
    )


def keys(shape: Shape) -> frozenset[str]:
    """The keys that a value of this shape is known to have."""
    fields = shape.get("fields")
    return frozenset(fields) if isinstance(fields, dict) else frozenset()


def builder(returns: object) -> Callable[[object], object]:
    """What turns the language's value of a reply into what the program asked for (an object of its class)."""
    if isinstance(returns, type) and (dataclasses.is_dataclass(returns) or _is_named_tuple(returns)):
        return lambda value: _build_object(returns, value)
    if isinstance(returns, type) and issubclass(returns, enum.Enum):
        return returns
    if typing.get_origin(returns) is list:
        (item,) = typing.get_args(returns) or (typing.Any,)
        build = builder(item)
        return lambda value: [build(element) for element in value] if isinstance(value, list) else value
    inside = [argument for argument in typing.get_args(returns) if argument is not type(None)]
    if typing.get_origin(returns) in (typing.Union, types.UnionType) and len(inside) == 1:
        build = builder(inside[0])
        return lambda value: None if value is None else build(value)
    return lambda value: value


def _is_named_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def _build_object(cls: type, value: object) -> object:
    if not isinstance(value, dict):
        return value
    hints = _annotations(cls)
    return cls(**{name: builder(hints.get(name))(item) for name, item in value.items()})


def _simple(returns: object) -> Shape | None:
    if returns is typing.Any or returns is object:
        return {"kind": "any"}
    if isinstance(returns, (type, types.NoneType)) and returns in _SIMPLE:
        return {"kind": _SIMPLE[returns]}
    if returns is list:
        return {"kind": "list", "item": {"kind": "any"}}
    if returns is dict:
        return {"kind": "dict", "value": {"kind": "any"}}
    if isinstance(returns, str):
        return _from_text(returns)
    return None


def _from_text(text: str) -> Shape:
    kind = _BY_NAME.get(text.replace(" ", ""))
    if kind is None:
        raise ShapeError(f"returns={text!r} is no type; write str, int, float, bool or a dict of them (no quotes)")
    outer, _, inner = kind.partition(":")
    if not inner:
        return {"kind": outer}
    return {"kind": outer, "item" if outer == "list" else "value": {"kind": inner}}


def _from_dict(returns: Mapping[object, object], depth: int) -> Shape:
    if _SCHEMA_WORDS & {key for key in returns if isinstance(key, str)} or returns.get("type") in ("object", "array"):
        raise ShapeError('returns= takes no JSON schema; write the shape itself, e.g. {"answer": str, "ok": bool}')
    if len(returns) == 1 and next(iter(returns)) is str:
        return {"kind": "dict", "value": describe(next(iter(returns.values())), depth + 1)}
    fields = {
        _field_name(name): {"shape": describe(item, depth + 1), "required": True} for name, item in returns.items()
    }
    return _record(None, fields)


def _record(name: str | None, fields: Mapping[str, object]) -> Shape:
    if not fields:
        return {"kind": "dict", "value": {"kind": "any"}}
    if len(fields) > MAX_FIELDS:
        raise ShapeError(f"returns= has {len(fields)} fields; at most {MAX_FIELDS} are allowed")
    return {"kind": "record", "name": name, "fields": dict(fields)}


def _field_name(name: object) -> str:
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,63}", name):
        raise ShapeError(f"the field name {name!r} in returns= must be a plain identifier")
    return str.__str__(name)


def _from_list(items: list[object], depth: int) -> Shape:
    if len(items) == 1 and not isinstance(items[0], (str, int, float)):
        return {"kind": "list", "item": describe(items[0], depth + 1)}
    if items and all(isinstance(item, (str, int, bool)) for item in items):
        if len(items) == 1 and items[0] in _BY_NAME:
            return {"kind": "list", "item": describe(items[0], depth + 1)}
        return _choices(items)
    raise ShapeError('a list in returns= names the choices, e.g. ["yes", "no"]; for many values write list[str]')


def _choices(values: list[object]) -> Shape:
    plain = [value._value_ if isinstance(value, enum.Enum) else value for value in values]
    if not plain or not all(value is None or type(value) in (str, int, bool) for value in plain):
        raise ShapeError(f"the choices in returns= must be text or whole numbers, not {values!r:.80}")
    if len(plain) > MAX_FIELDS or any(type(value) is int and value.bit_length() > 64 for value in plain):
        raise ShapeError(f"returns= takes at most {MAX_FIELDS} choices, and no number of more than 64 bits")
    return {"kind": "literal", "values": plain}


def _from_generic(returns: object, depth: int) -> Shape:
    origin, arguments = typing.get_origin(returns), typing.get_args(returns)
    if origin is typing.Literal:
        return _choices(list(arguments))
    if origin in (list, set, frozenset, tuple) or origin is typing.get_origin(typing.Sequence[int]):
        item = next((argument for argument in arguments if argument is not Ellipsis), typing.Any)
        return {"kind": "list", "item": describe(item, depth + 1)}
    if origin is dict or origin is typing.get_origin(typing.Mapping[str, int]):
        return {"kind": "dict", "value": describe(arguments[1] if len(arguments) == 2 else typing.Any, depth + 1)}
    if origin in (typing.Union, types.UnionType):
        return {"kind": "union", "options": [describe(argument, depth + 1) for argument in arguments]}
    if origin is typing.Annotated:
        return describe(arguments[0], depth + 1)
    raise ShapeError(
        f"returns={returns!r} is no shape; use list[...], dict[str, ...], Optional[...] or a dict of fields"
    )


def _from_class(cls: type, depth: int) -> Shape:
    if issubclass(cls, enum.Enum):
        return _choices([member._value_ for member in cls])
    hints = _annotations(cls)
    if not hints:
        raise ShapeError(f"the class {cls.__name__} has no annotated fields; annotate them, e.g. answer: str")
    fields = {
        _field_name(name): {"shape": describe(hint, depth + 1), "required": not hasattr(cls, name)}
        for name, hint in hints.items()
    }
    return _record(cls.__name__, fields)


def _annotations(cls: type) -> dict[str, object]:
    merged: dict[str, object] = {}
    for ancestor in reversed(cls.__mro__):
        merged.update(ancestor.__dict__.get("__annotations__", {}))
    return {name: hint for name, hint in merged.items() if typing.get_origin(hint) is not typing.ClassVar}
