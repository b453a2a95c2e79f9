"""What the host hands to a child: a program, what it may see and use, and what makes it deterministic.

`to_frame` and `from_frame` are each other's inverse. They are written out, since `dataclasses.asdict` takes longer
than a short program.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import cast

from sandbox.contract import Contract, Function, Parameter
from sandbox.frames import Frame
from sandbox.limits import Limits
from sandbox.protocol import Setting


@dataclass(frozen=True, slots=True)
class Work:
    """One program, and everything that it depends on but the replies."""

    program: str
    contract: Contract = Contract()
    limits: Limits = Limits()
    setting: Setting = Setting()


def to_frame(kind: str, work: Work) -> Frame:
    """The first frame of a child: do this `kind` of work."""
    return {
        "type": kind, "program": work.program.encode("utf-8", "replace").decode(),
        "contract": _plain(work.contract) | {"functions": [_function(f) for f in work.contract.functions]},
        "limits": _plain(work.limits), "setting": _plain(work.setting),
    }  # fmt: skip


def from_frame(frame: Frame) -> Work:
    """The work that a first frame describes."""
    contract = cast("dict[str, object]", frame["contract"])
    functions = tuple(_function_of(function) for function in cast("list[dict[str, object]]", contract["functions"]))
    modules = cast("list[str] | None", contract["modules"])
    return Work(
        cast("str", frame["program"]),
        Contract(**{**contract, "functions": functions, "modules": None if modules is None else tuple(modules)}),  # type: ignore[arg-type]
        Limits(**cast("dict[str, int]", frame["limits"])),
        Setting(**cast("dict[str, int]", frame["setting"])),  # type: ignore[arg-type]
    )


def _plain(record: Contract | Function | Parameter | Limits | Setting) -> dict[str, object]:
    return {name: getattr(record, name) for name in _NAMES[type(record)]}


def _function(function: Function) -> dict[str, object]:
    return _plain(function) | {"parameters": [_plain(parameter) for parameter in function.parameters]}


def _function_of(data: dict[str, object]) -> Function:
    parameters = cast("list[dict[str, object]]", data["parameters"])
    made = tuple(_parameter_of(parameter) for parameter in parameters)
    return Function(**{**data, "parameters": made})  # type: ignore[arg-type]


def _parameter_of(data: dict[str, object]) -> Parameter:
    lists = {name: tuple(cast("list[str]", data[name])) for name in ("choices", "withheld")}
    return Parameter(**{**data, **lists})  # type: ignore[arg-type]


_NAMES: dict[type, tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind)) for kind in (Contract, Function, Parameter, Limits, Setting)
}
