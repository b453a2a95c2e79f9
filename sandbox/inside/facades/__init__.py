"""The modules of the workflow language, as facades: a program that says `import json` gets one of these, never the real one."""

from __future__ import annotations

from sandbox.inside.facades import (
    classes_of,
    containers,
    contexts,
    copies,
    enums,
    functions,
    numbers,
    texts,
    times,
    typing_names,
)
from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.runtime import Runtime

_MAKERS = (
    numbers.math_facade, texts.json_facade, texts.re_facade, numbers.statistics_facade, functions.itertools_facade,
    functions.functools_facade, containers.collections_facade, functions.operator_facade, texts.string_facade,
    texts.textwrap_facade, times.datetime_facade, times.time_facade, numbers.fractions_facade, numbers.decimal_facade,
    numbers.random_facade, containers.heapq_facade, containers.bisect_facade, copies.copy_facade, enums.enum_facade,
    typing_names.typing_facade, classes_of.dataclasses_facade, contexts.abc_facade, contexts.contextlib_facade,
)  # fmt: skip


def plain_modules(runtime: Runtime) -> dict[str, Facade]:
    """Every module that is not about concurrency, by name."""
    modules = {module.__name__: module for module in (make(runtime) for make in _MAKERS)}
    abstract = modules["collections"]._members["abc"]
    assert isinstance(abstract, Facade)
    return {**modules, "collections.abc": abstract}
