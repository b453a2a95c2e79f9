"""Shapes as types, schemas and words; what is accepted, and what is refused."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError

from sandbox.inside.shapes import describe as child_describe
from subagents.chat_body import is_closed
from subagents.reading import Mismatch, fit, read
from subagents.schemas import describe, describe_json, json_schema
from subagents.shapes import ShapeError, parse_shape, type_for, validated
from tests.subagents.calls import record, shape

KINDS = ["str", "int", "literal", "list", "dict", "record", "union", "any", "none"]
KEYS = ["kind", "values", "item", "value", "name", "fields", "shape", "required", "options"]
SIMPLE = st.sampled_from(["str", "int", "float", "bool", "none"]).map(lambda kind: {"kind": kind})
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
LITERALS = st.lists(
    st.text(min_size=1, max_size=6).filter(str.strip), min_size=1, max_size=4, unique_by=lambda t: t.strip().casefold()
)


def _wider(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    fields = st.dictionaries(NAMES, inner.map(lambda s: {"shape": s, "required": True}), max_size=4)
    return st.one_of(
        inner.map(lambda s: {"kind": "list", "item": s}),
        inner.map(lambda s: {"kind": "dict", "value": s}),
        fields.map(lambda f: {"kind": "record", "name": None, "fields": f}),
    )


SHAPES = st.recursive(st.one_of(SIMPLE, LITERALS.map(lambda v: {"kind": "literal", "values": v})), _wider, max_leaves=6)


def values_of(data: Any) -> st.SearchStrategy[Any]:
    """Values of a shape, as JSON."""
    match data["kind"]:
        case "literal":
            return st.sampled_from(data["values"])
        case "list":
            return st.lists(values_of(data["item"]), max_size=3)
        case "dict":
            return st.dictionaries(st.text(max_size=5), values_of(data["value"]), max_size=3)
        case "record":
            return st.fixed_dictionaries({name: values_of(field["shape"]) for name, field in data["fields"].items()})
    simple: dict[str, st.SearchStrategy[Any]] = {
        "str": st.text(max_size=8),
        "int": st.integers(),
        "float": st.floats(allow_nan=False, allow_infinity=False),
        "bool": st.booleans(),
        "none": st.none(),
    }
    return simple[data["kind"]]


@given(st.data())
def test_every_value_of_a_shape_is_one(data: st.DataObject) -> None:
    described = data.draw(SHAPES)
    value = data.draw(values_of(described))
    assert validated(value, parse_shape(described)) == value


@given(st.data())
def test_every_value_is_read_back_from_its_json(data: st.DataObject) -> None:
    parsed = parse_shape(described := data.draw(SHAPES))
    value = data.draw(values_of(described))
    wrapped = value if described["kind"] in ("record", "dict") else {"value": value}
    assert read(f"Here it is:\n```json\n{json.dumps(wrapped)}\n```\nDone.", parsed).value == value


@given(SHAPES)
def test_every_schema_is_an_object_and_every_shape_has_words(described: Any) -> None:
    parsed = parse_shape(described)
    assert json_schema(parsed)["type"] == "object"
    assert describe(parsed)
    json.dumps(json_schema(parsed))


@pytest.mark.parametrize(
    ("kind", "given_", "value"),
    [
        ("int", "12", 12),
        ("int", 12.0, 12),
        ("int", "1,200", 1200),
        ("float", "1,200.5", 1200.5),
        ("float", 3, 3.0),
        ("str", 12, "12"),
        ("bool", "yes", True),
        (["yes", "no"], " Yes", "yes"),
        (["Yes", "yes"], "yes", "yes"),
        ([1, 2], "2", 2),
        (["1", 1], 1, 1),
        ([1, True], True, True),
        (["true", "false"], True, "true"),
    ],
)
def test_what_is_taken_for_what(kind: JsonValue, given_: object, value: object) -> None:
    got = validated(given_, parse_shape(shape(kind)))
    assert (got, type(got)) == (value, type(value))


@pytest.mark.parametrize(
    ("kind", "given_"),
    [
        ("int", 12.5),
        ("int", True),
        ("int", "12 dollars"),
        ("int", "1,2"),
        ("float", False),
        ("float", "nan"),
        ("float", float("inf")),
        ("str", None),
        ("str", ["x"]),
        ("none", 0),
        (["yes", "no"], "maybe"),
        ([1, 2], 3),
        ([1, 2], True),
        (record(a="int"), {"a": 1, "b": 2}),
        (record(a="int"), {}),
    ],
)
def test_what_is_refused(kind: JsonValue, given_: object) -> None:
    with pytest.raises(ValidationError):
        validated(given_, parse_shape(shape(kind)))


def test_an_optional_field_may_be_null_or_left_out() -> None:
    fields: JsonValue = {
        "a": {"shape": {"kind": "int"}, "required": False},
        "b": {"shape": {"kind": "none"}, "required": False},
    }
    optional = parse_shape({"kind": "record", "name": "Point", "fields": fields})
    assert validated({"a": None, "b": None}, optional) == {"b": None}
    assert validated({}, optional) == {}
    assert json_schema(optional)["required"] == ["a", "b"]
    assert describe(optional) == '{"a": whole number | null, "b": null | null}'


@pytest.mark.parametrize("name", ["model_config", "copy", "schema", "class", "json"])
def test_a_field_may_be_called_anything(name: str) -> None:
    assert validated({name: 1}, parse_shape(record(**{name: "int"}))) == {name: 1}


def test_words_and_schema_of_a_verdict() -> None:
    verdict = parse_shape(
        record(verdict=["correct", "wrong"], reason="str", score={"kind": "list", "item": {"kind": "float"}})
    )
    assert describe(verdict) == '{"verdict": "correct" | "wrong", "reason": text, "score": [number, ...]}'
    assert json_schema(verdict) == {
        "type": "object",
        "properties": {
            "verdict": {"type": "string", "enum": ["correct", "wrong"]},
            "reason": {"type": "string"},
            "score": {"type": "array", "items": {"type": "number"}},
        },
        "required": ["verdict", "reason", "score"],
        "additionalProperties": False,
    }
    assert describe_json(parse_shape(shape("int"))) == '{"value": whole number}'


@pytest.mark.parametrize(
    ("kind", "closed"),
    [
        (record(a="int", b=["x", 1]), True),
        ("int", True),
        ({"kind": "union", "options": [{"kind": "str"}, record(a="int")]}, True),
        ({"kind": "list", "item": {"kind": "any"}}, False),
        ({"kind": "dict", "value": {"kind": "int"}}, False),
        (record(a="any"), False),
    ],
)
def test_what_strict_servers_take(kind: JsonValue, closed: bool) -> None:
    assert is_closed(json_schema(parse_shape(shape(kind)))) is closed


@pytest.mark.parametrize(
    "returns",
    [
        str,
        {"answer": bool, "why": str},
        {"verdict": ["a", "b"], "issues": list[str]},
        list[dict[str, int]],
        int | None,
        list,
        dict,
    ],
)
def test_what_the_child_describes_is_understood(returns: object) -> None:
    described: Any = child_describe(returns)
    assert json_schema(parse_shape(json.loads(json.dumps(described))))["type"] == "object"


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.sampled_from(KINDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(), inner, max_size=5),
    max_leaves=20,
)


@given(ANYTHING, SHAPES)
def test_any_data_is_a_shape_or_refused_and_fits_one_or_does_not(data: Any, described: Any) -> None:
    with contextlib.suppress(ShapeError):
        type_for(parse_shape(data))
    with contextlib.suppress(Mismatch):
        fit(data, parse_shape(described))


def deep(levels: int) -> JsonValue:
    nested: JsonValue = {"kind": "int"}
    for _ in range(levels):
        nested = record(inner=nested)
    return nested


@pytest.mark.parametrize(
    "data",
    [
        "str",
        [],
        {"kind": "set"},
        {"kind": "int", "minimum": 0},
        {"kind": "list"},
        {"kind": "literal", "values": []},
        record(**{"not a name": "int"}),
        record(**{f"f{number}": "int" for number in range(65)}),
        deep(11),
        deep(500),
    ],
)
def test_what_is_no_shape(data: JsonValue) -> None:
    with pytest.raises(ShapeError):
        parse_shape(data)


def test_the_deepest_shape_of_a_program_is_understood() -> None:
    returns: Any = int
    for _ in range(8):
        returns = {"inner": returns}
    described: Any = child_describe(returns)
    parse_shape(described)
