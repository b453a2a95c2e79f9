"""The host's side of `returns`: a shape, as a sandbox describes it, becomes a pydantic type and a JSON schema.

A shape arrives as plain data and is read into a closed union first, so nothing in it is ever evaluated. Types are
as strict as a model's habits allow: "12" is a whole number and `Yes` is the choice `yes`, but 12.5 is no whole
number, true is no number, and a key that was not asked for is refused.
"""

from __future__ import annotations

import re
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
    model_validator,
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
_CONFIG = ConfigDict(extra="forbid", coerce_numbers_to_str=True, allow_inf_nan=False)
_LEVELS_OF_DATA = 3
"""How deep the data of a shape goes for one level of the shape at most: record, fields, field."""


class ShapeError(ValueError):
    """Data that is no shape."""


def parse_shape(data: JsonValue) -> Shape:
    """Read a shape; None is text. Raises `ShapeError`."""
    if data is None:
        return TEXT
    if _is_deeper(data, _LEVELS_OF_DATA * MAX_DEPTH):
        raise ShapeError(f"a shape is nested deeper than {MAX_DEPTH}; ask for less in one call")
    try:
        return _SHAPE.validate_python(data)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(map(str, problem["loc"])) or "at its root"
        raise ShapeError(f"the shape is wrong ({where}): {problem['msg']}") from None


def is_text(shape: Shape) -> bool:
    """Whether the shape is plain text, which needs no reading."""
    return isinstance(shape, Simple) and shape.kind == "str"


def is_object(shape: Shape) -> bool:
    """Whether every value of the shape is an object, so that it needs no wrapping in a JSON schema."""
    return isinstance(shape, Fields | Mapped)


def type_for(shape: Shape) -> TypeAdapter[Any]:
    """The pydantic type of a shape."""
    return _cached(_SHAPE.dump_json(shape).decode())


@lru_cache(maxsize=512)
def _cached(dumped: str) -> TypeAdapter[Any]:
    kind = _type(_SHAPE.validate_json(dumped))
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return TypeAdapter(kind)
    return TypeAdapter(kind, config=_CONFIG)


def validated(value: object, shape: Shape) -> JsonValue:
    """The value as plain data of the shape. Raises pydantic's `ValidationError`."""
    kind = type_for(shape)
    plain: JsonValue = kind.dump_python(kind.validate_python(value), mode="json", by_alias=True, exclude_unset=True)
    return plain


def _type(shape: Shape) -> Any:  # noqa: ANN401 - a type made at run time
    match shape:
        case Simple(kind="int" | "float" as kind):
            return Annotated[{"int": int, "float": float}[kind], BeforeValidator(_number)]
        case Simple(kind=kind):
            return {"str": str, "bool": bool, "none": None}.get(kind, Any)
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
    """A model whose fields have neutral names, since a program may call a field `model_config` or `copy`."""
    fields: dict[str, Any] = {
        f"field_{index}": (_type(field.shape), Field(alias=name) if field.required else Field(default=None, alias=name))
        for index, (name, field) in enumerate(shape.fields.items())
    }
    optional = frozenset(
        name for name, field in shape.fields.items() if not field.required and not _takes_null(field.shape)
    )

    def without_nulls(data: object) -> object:
        """A strict server makes the model write every field; null then says that it has none."""
        if not isinstance(data, dict):
            return data
        return {key: value for key, value in data.items() if value is not None or key not in optional}

    validators: dict[str, Any] = {"without_nulls": model_validator(mode="before")(without_nulls)}
    return create_model(shape.name or "Reply", __config__=_CONFIG, __validators__=validators, **fields)


def _takes_null(shape: Shape) -> bool:
    if isinstance(shape, Either):
        return any(map(_takes_null, shape.options))
    return isinstance(shape, Simple) and shape.kind in ("none", "any")


_GROUPED = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?")


def _number(given: object) -> object:
    """Lets "1,200" stand for 1200. Python takes true for 1, nobody else does."""
    if isinstance(given, bool):
        raise ValueError(f"a number is wanted, not {str(given).lower()}")
    if isinstance(given, str) and _GROUPED.fullmatch(given.strip()):
        return given.replace(",", "")
    return given


def _case_of(values: tuple[str | int | bool, ...]) -> Callable[[object], object]:
    """Lets `Yes` stand for the choice `yes`, and "2" for 2."""
    by_case = {str(value).casefold(): value for value in reversed(values)}

    def choose(given: object) -> object:
        if not isinstance(given, str | int) or any(type(value) is type(given) and value == given for value in values):
            return given
        return by_case.get(str(given).strip().casefold(), str(given) if isinstance(given, bool) else given)

    return choose


def _is_deeper(data: JsonValue, limit: int) -> bool:
    level: list[JsonValue] = [data]
    for _ in range(limit + 1):
        level = [
            inner
            for item in level
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return False
    return True
