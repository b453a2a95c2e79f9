"""Whether a request that a child sent is one that the contract allows: the host's own check of names, arguments and shapes.

The runtime in the child makes sure of all this in words that are meant for the program's author. A child that got past its
runtime can still write any frame, so the host looks once more, and whoever serves requests finds what the contract promises.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from sandbox.contract import Contract, Parameter
from sandbox.errors import ProtocolError
from sandbox.limits import Limits

MAX_SHAPE_DEPTH = 10
MAX_FIELDS = 64
_SIMPLE = frozenset({"str", "int", "float", "bool", "any", "none"})
_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


def check_request(contract: Contract, limits: Limits, function: str, arguments: Mapping[str, object]) -> None:
    """Raise `ProtocolError` if the contract has no such function, or the function no such arguments."""
    spec = next((spec for spec in contract.functions if spec.name == function), None)
    if spec is None:
        raise ProtocolError(f"a child called the function {function[:80]!r}, which its contract does not have")
    parameters = {parameter.name: parameter for parameter in spec.parameters}
    if not arguments.keys() <= parameters.keys():
        raise ProtocolError(f"a child called {function} with an argument that it does not have")
    for name, parameter in parameters.items():
        if name in arguments:
            _check_argument(parameter, arguments[name], limits)
        elif parameter.required:
            raise ProtocolError(f"a child called {function} without {name}")


def is_shape(data: object, depth: int = 0) -> bool:
    """Whether this is the description of a shape, as a child makes it of `returns`."""
    if not isinstance(data, dict) or depth > MAX_SHAPE_DEPTH:
        return False
    kind, keys = data.get("kind"), data.keys()
    if kind == "literal":
        return keys == {"kind", "values"} and _are_choices(data["values"])
    if kind == "list":
        return keys == {"kind", "item"} and is_shape(data["item"], depth + 1)
    if kind == "dict":
        return keys == {"kind", "value"} and is_shape(data["value"], depth + 1)
    if kind == "union":
        return keys == {"kind", "options"} and _are_shapes(data["options"], depth + 1)
    if kind == "record":
        return keys == {"kind", "name", "fields"} and _is_record(data["name"], data["fields"], depth)
    return isinstance(kind, str) and kind in _SIMPLE and keys == {"kind"}


def _check_argument(parameter: Parameter, value: object, limits: Limits) -> None:
    if parameter.kind == "json" or (value is None and parameter.kind == "text"):
        return
    if parameter.kind == "shape":
        fits = is_shape(value)
    elif parameter.kind == "choice":
        fits = isinstance(value, str) and value in (*parameter.choices, *parameter.withheld)
    else:
        fits = isinstance(value, str) and len(value.encode()) <= limits.instruction_bytes
    if not fits:
        raise ProtocolError(f"a child sent an argument {parameter.name} that is no {parameter.kind} of the contract")


def _are_choices(values: object) -> bool:
    return _is_short(values) and all(
        value is None or type(value) in (str, bool) or (type(value) is int and value.bit_length() <= 64)
        for value in cast("list[object]", values)
    )


def _are_shapes(options: object, depth: int) -> bool:
    return _is_short(options) and all(is_shape(option, depth) for option in cast("list[object]", options))


def _is_record(name: object, fields: object, depth: int) -> bool:
    return (
        (name is None or isinstance(name, str))
        and isinstance(fields, dict)
        and 0 < len(fields) <= MAX_FIELDS
        and all(_FIELD.fullmatch(key) and _is_field(field, depth) for key, field in fields.items())
    )


def _is_field(data: object, depth: int) -> bool:
    if not isinstance(data, dict) or data.keys() != {"shape", "required"}:
        return False
    return isinstance(data["required"], bool) and is_shape(data["shape"], depth + 1)


def _is_short(values: object) -> bool:
    return isinstance(values, list) and 0 < len(values) <= MAX_FIELDS
