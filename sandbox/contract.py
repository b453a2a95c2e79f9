"""What a program is given, and what it gives back: the plain data that crosses the sandbox's boundary.

The sandbox knows nothing of language models. A `Contract` tells it which host functions a program may
call (`ask` is one), with which parameters and literal choices, which values it finds under which names,
and which exceptions a failed call may raise. What passes is JSON in both directions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

JSON = None | bool | int | float | str | Sequence["JSON"] | Mapping[str, "JSON"]

ParameterKind = Literal["text", "choice", "json", "shape"]

MODULES = (
    "abc", "asyncio", "bisect", "collections", "concurrent.futures", "contextlib", "copy", "dataclasses", "datetime",
    "decimal", "enum", "fractions", "functools", "heapq", "itertools", "json", "math", "operator", "random", "re",
    "statistics", "string", "textwrap", "time", "typing",
)  # fmt: skip
"""The modules of the workflow language. What lies in their packages (`collections.abc`) comes with them."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a host function.

    `text` is made a string, `choice` must be one of `choices`, `json` is any plain data (handles inside
    are waited for), `shape` is a type or literal that the child turns into a closed shape description.
    """

    name: str
    kind: ParameterKind = "json"
    required: bool = True
    keyword_only: bool = False
    choices: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    """Further choices, of which the host decides when one is asked for: a check finds them, a running program may send them."""


@dataclass(frozen=True, slots=True)
class Function:
    """A host function: `handle` returns at once and is waited for when used, `value` waits at once."""

    name: str
    parameters: tuple[Parameter, ...]
    gives: Literal["handle", "value"] = "handle"


@dataclass(frozen=True, slots=True)
class Contract:
    """Everything a program may see beyond the language itself.

    functions: host functions by which the program reaches out.
    values: names bound to plain data (`task` is one); mappings allow attribute access.
    failures: exception name -> parent's name (or None); what a `Failure.kind` may be.
    unknown_choice: the name of the failure raised for a `choice` argument that is not on its list.
    upstream: the name of the failure of a request whose inputs failed, so that it was never sent.
    modules: the modules of the language (names of `MODULES`) that the program may import, each with what lies in its
    package; None is all of them.
    """

    functions: tuple[Function, ...] = ()
    values: Mapping[str, JSON] = field(default_factory=dict)
    failures: Mapping[str, str | None] = field(default_factory=dict)
    unknown_choice: str | None = None
    upstream: str | None = None
    modules: tuple[str, ...] | None = None

    def may_import(self, module: str) -> bool:
        """Whether the program may import this module, if there is one of that name."""
        return self.modules is None or _package(module) in map(_package, self.modules)


@dataclass(frozen=True, slots=True)
class Source:
    """A reply that was handed on: the value at `path` inside `argument` is (part of) the reply of `call`."""

    argument: str
    path: tuple[str | int, ...]
    call: int


@dataclass(frozen=True, slots=True)
class Request:
    """One use of a host function. `call` numbers the requests of a program from 1."""

    call: int
    function: str
    arguments: Mapping[str, JSON]
    branch: str
    line: int | None
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request brought no value; `kind` is a name of `Contract.failures`."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a request brought: a value, or a failure."""

    value: JSON = None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a check found wrong with a program before it ran."""

    kind: Literal["syntax", "policy", "name", "choice", "argument", "unused"]
    message: str
    line: int
    column: int
    source_line: str
    hint: str | None = None
    withheld: str | None = None
    """The choice or module that the contract holds back, where this is all that is wrong."""

    def __str__(self) -> str:
        caret = " " * self.column + "^"
        hint = f"\n  {self.hint}" if self.hint else ""
        return f"line {self.line}: {self.message}\n  {self.source_line}\n  {caret}{hint}"


def _package(module: str) -> str:
    return module.partition(".")[0]
