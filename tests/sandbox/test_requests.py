"""The host's own check of what a child asks for: what a runtime sends passes, and nothing else."""

from __future__ import annotations

import pytest

from sandbox import Limits
from sandbox.errors import ProtocolError
from sandbox.requests import check_request, is_shape
from tests.sandbox.doors import CONTRACT

LIMITS = Limits(instruction_bytes=100)
ASK = {"agent": "solver", "instruction": "q"}
RIGHT: dict[str, tuple[str, dict[str, object]]] = {
    "the required ones": ("ask", ASK),
    "all": ("ask", {**ASK, "inputs": [{"a": None}], "returns": {"kind": "str"}, "label": "l"}),
    "None for text": ("ask", {"agent": "solver", "instruction": None, "label": None}),
    "any value": ("share", {"id": "a", "value": None}),
}
WRONG: dict[str, tuple[str, dict[str, object]]] = {
    "unknown function": ("delete", {}),
    "an argument too many": ("ask", {**ASK, "model": "m"}),
    "one too few": ("ask", {"agent": "solver"}),
    "an unknown choice": ("ask", {**ASK, "agent": "nobody"}),
    "a choice of another type": ("ask", {**ASK, "agent": ["solver"]}),
    "text of another type": ("ask", {**ASK, "instruction": 1}),
    "text too long": ("ask", {**ASK, "instruction": "é" * 51}),
    "no shape": ("ask", {**ASK, "returns": None}),
}
SIMPLE = {"kind": "int"}
SHAPES: tuple[object, ...] = (
    SIMPLE, {"kind": "literal", "values": ["a", 1, True, None]}, {"kind": "list", "item": SIMPLE}, {"kind": "dict", "value": SIMPLE},
    {"kind": "union", "options": [SIMPLE, {"kind": "none"}]},
    {"kind": "record", "name": None, "fields": {"a": {"shape": SIMPLE, "required": False}}},
)  # fmt: skip
NO_SHAPES: tuple[object, ...] = (
    None, "int", [], {}, {"kind": "code"}, {"kind": []}, {"kind": "int", "more": 1}, {"kind": "list"}, {"kind": "list", "item": 1},
    {"kind": "literal", "values": []}, {"kind": "literal", "values": [1.5]}, {"kind": "literal", "values": [2**70]},
    {"kind": "union", "options": {}}, {"kind": "record", "name": 1, "fields": {"a": {"shape": SIMPLE, "required": True}}},
    {"kind": "record", "name": None, "fields": {}}, {"kind": "record", "name": None, "fields": {"_a": {"shape": SIMPLE, "required": True}}},
    {"kind": "record", "name": None, "fields": {"a": SIMPLE}}, {"kind": "record", "name": None, "fields": {"a": {"shape": SIMPLE, "required": 1}}},
)  # fmt: skip


@pytest.mark.parametrize("case", RIGHT)
def test_what_the_contract_allows_passes(case: str) -> None:
    check_request(CONTRACT, LIMITS, *RIGHT[case])


@pytest.mark.parametrize("case", WRONG)
def test_everything_else_is_a_protocol_error(case: str) -> None:
    with pytest.raises(ProtocolError):
        check_request(CONTRACT, LIMITS, *WRONG[case])


def test_shapes_are_told_from_other_data() -> None:
    assert [shape for shape in SHAPES if not is_shape(shape)] == []
    assert [data for data in NO_SHAPES if is_shape(data)] == []


def test_no_shape_is_nested_for_ever() -> None:
    shape: object = SIMPLE
    for _ in range(20):
        shape = {"kind": "list", "item": shape}
    assert not is_shape(shape)
