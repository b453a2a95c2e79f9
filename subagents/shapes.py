"""The host's side of `returns`: a shape, as a program's sandbox describes it, becomes a pydantic type and a JSON schema.

A shape arrives as plain data and is read into a closed union first, so nothing in it is ever evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, Literal, Union

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
    create_model,
)

from subagents.messages import Frozen

MAX_DEPTH = 10
MAX_FIELDS = 64
WRAPPED = "value"
"""The key under which a value that is no object stands in a JSON schema: servers want an object at the root."""


class Simple(Frozen):
    """One plain value."""

    kind: Literal["str", "int", "float", "bool", "any", "none"]


class Choice(Frozen):
    """One of a few values."""

    kind: Literal["literal"]
    values: tuple[str | int | bool, ...] = Field(min_length=1, max_length=256)


class Many(Frozen):
    """A list."""

    kind: Literal["list"]
    item: Shape


class Mapped(Frozen):
    """An object with any keys."""

    kind: Literal["dict"]
    value: Shape


class FieldOf(Frozen):
    """A field of a record."""

    shape: Shape
    required: bool = True


class Fields(Frozen):
    """An object with these keys and no others."""

    kind: Literal["record"]
    name: str | None = None
    fields: dict[Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")], FieldOf] = Field(max_length=MAX_FIELDS)


class Either(Frozen):
    """One of several shapes."""

    kind: Literal["union"]
    options: tuple[Shape, ...] = Field(min_length=1, max_length=16)


Shape = Annotated[Simple | Choice | Many | Mapped | Fields | Either, Field(discriminator="kind")]
for _model in (Many, Mapped, FieldOf, Fields, Either):
    _model.model_rebuild()
_SHAPE: TypeAdapter[Shape] = TypeAdapter(Shape)
TEXT = Simple(kind="str")


class ShapeError(ValueError):
    """Data that is no shape."""


def parse_shape(data: JsonValue) -> Shape:
    """Read a shape; None is text. Raises `ShapeError`."""
    if data is None:
        return TEXT
    if _depth(data) > 4 * MAX_DEPTH:
        raise ShapeError(f"a shape is nested deeper than {MAX_DEPTH}")
    try:
        return _SHAPE.validate_python(data)
    except ValidationError as error:
        problem = error.errors()[0]
        raise ShapeError(f"no shape: {'.'.join(map(str, problem['loc']))}: {problem['msg']}") from None


def is_text(shape: Shape) -> bool:
    """Whether the shape is plain text, which needs no reading."""
    return isinstance(shape, Simple) and shape.kind == "str"


@lru_cache(maxsize=512)
def _adapter(dumped: str) -> TypeAdapter[Any]:
    kind = _type(_SHAPE.validate_json(dumped))
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return TypeAdapter(kind)
    return TypeAdapter(kind, config=ConfigDict(coerce_numbers_to_str=True))


def adapter(shape: Shape) -> TypeAdapter[Any]:
    """The pydantic type of a shape. `"12"` is a whole number, 12.5 is none; unknown keys of a record are refused."""
    return _adapter(_SHAPE.dump_json(shape).decode())


def json_schema(shape: Shape) -> dict[str, JsonValue]:
    """A JSON schema with an object at its root, closed and with all fields required, as strict servers want it."""
    schema = _schema(shape)
    if isinstance(shape, Fields | Mapped):
        return schema
    return {"type": "object", "properties": {WRAPPED: schema}, "required": [WRAPPED], "additionalProperties": False}


def describe(shape: Shape) -> str:
    """The shape in a form that a person or model reads, e.g. {"verdict": "correct" | "wrong", "reason": text}."""
    match shape:
        case Simple(kind=kind):
            words = {"str": "text", "int": "whole number", "float": "number", "bool": "true | false", "any": "anything"}
            return words.get(kind, "null")
        case Choice(values=values):
            return " | ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in values)
        case Many(item=item):
            return f"[{describe(item)}, ...]"
        case Mapped(value=value):
            return f'{{"key": {describe(value)}, ...}}'
        case Fields(fields=fields):
            return "{" + ", ".join(f'"{name}": {describe(field.shape)}' for name, field in fields.items()) + "}"
        case Either(options=options):
            return " | ".join(describe(option) for option in options)


def _type(shape: Shape) -> Any:  # noqa: ANN401 - a type made at run time
    match shape:
        case Simple(kind=kind):
            return {"str": str, "int": int, "float": float, "bool": bool, "none": None}.get(kind, Any)
        case Choice(values=values):
            return Annotated[Literal[values], BeforeValidator(_case_of(values))]
        case Many(item=item):
            return list[_type(item)]  # type: ignore[misc]
        case Mapped(value=value):
            return dict[str, _type(value)]  # type: ignore[misc]
        case Either(options=options):
            return Union[tuple(_type(option) for option in options)]  # noqa: UP007 - made at run time
        case Fields():
            return _model_of(shape)


def _model_of(shape: Fields) -> type[BaseModel]:
    fields: dict[str, Any] = {
        f"field_{index}": (_type(field.shape), Field(alias=name) if field.required else Field(default=None, alias=name))
        for index, (name, field) in enumerate(shape.fields.items())
    }
    return create_model(
        shape.name or "Reply", __config__=ConfigDict(extra="forbid", coerce_numbers_to_str=True), **fields
    )


def _case_of(values: tuple[str | int | bool, ...]) -> Callable[[object], object]:
    """Lets `Yes` stand for the choice `yes`."""
    by_case = {str(value).casefold(): value for value in values if isinstance(value, str)}
    return lambda given: by_case.get(given.strip().casefold(), given) if isinstance(given, str) else given


def _schema(shape: Shape) -> dict[str, JsonValue]:
    match shape:
        case Simple(kind=kind):
            names = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "none": "null"}
            return {"type": names[kind]} if kind in names else {}
        case Choice(values=values):
            return {"enum": list(values)}
        case Many(item=item):
            return {"type": "array", "items": _schema(item)}
        case Mapped(value=value):
            return {"type": "object", "additionalProperties": _schema(value)}
        case Either(options=options):
            return {"anyOf": [_schema(option) for option in options]}
        case Fields(fields=fields):
            properties: dict[str, JsonValue] = {name: _schema(field.shape) for name, field in fields.items()}
            return {
                "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
            }  # fmt: skip


def _depth(data: JsonValue) -> int:
    level: list[JsonValue] = [data]
    depth = 0
    while level and depth <= 4 * MAX_DEPTH:
        depth += 1
        inner: list[JsonValue] = []
        for item in level:
            if isinstance(item, dict):
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        level = inner
    return depth
