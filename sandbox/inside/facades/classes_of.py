"""`dataclasses`, on the program's own classes and on nothing else."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, cast

from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.runtime import Runtime

_OPTIONS = frozenset({"init", "repr", "eq", "order", "frozen", "kw_only", "slots", "unsafe_hash", "match_args"})
_AS_THEY_ARE = "KW_ONLY MISSING InitVar FrozenInstanceError is_dataclass replace"


def dataclasses_facade(runtime: Runtime) -> Facade:
    """`dataclasses` without `make_dataclass`, which writes code from text."""

    def dataclass(cls: object = None, /, **options: bool) -> object:
        if options.keys() - _OPTIONS:
            raise TypeError(f"dataclass() takes {', '.join(sorted(_OPTIONS))}")

        def make(target: object) -> type:
            return _made(runtime, target, options)

        return make if cls is None else make(cls)

    def field(**options: object) -> object:
        return cast("Callable[..., object]", dataclasses.field)(**options)

    def fields(thing: object) -> tuple[object, ...]:
        return tuple(_described(item) for item in dataclasses.fields(cast("Any", thing)))

    def asdict(thing: object, *, dict_factory: object = dict) -> object:
        return _unpacked(runtime, _instance(thing, "asdict"), lambda pairs: runtime.call(dict_factory, pairs))

    def astuple(thing: object, *, tuple_factory: object = tuple) -> object:
        def values(pairs: list[tuple[str, object]]) -> object:
            return runtime.call(tuple_factory, [value for _, value in pairs])

        return _unpacked(runtime, _instance(thing, "astuple"), values)

    members: dict[str, object] = {name: getattr(dataclasses, name) for name in _AS_THEY_ARE.split()}
    members.update(dataclass=dataclass, field=field, fields=fields, asdict=asdict, astuple=astuple)
    return Facade("dataclasses", members)


def _made(runtime: Runtime, target: object, options: dict[str, bool]) -> type:
    if not runtime.is_program_class(target):
        raise TypeError("@dataclass works on classes of the program")
    for generated in ("__repr__", "__hash__"):  # the defaults that our class factory put in give way
        own = cast("type", target).__dict__.get(generated)
        if getattr(own, "__module__", None) == "sandbox.inside.classes":
            delattr(target, generated)
    made = runtime.classes.add(cast("Callable[..., Any]", dataclasses.dataclass)(target, **options))
    return runtime.classes.give_defaults(made)  # what was not asked for would show an address


def _described(item: dataclasses.Field[Any]) -> Facade:
    names = ("name", "type", "default", "default_factory", "init", "repr", "compare", "kw_only")
    return Facade("field", {name: getattr(item, name) for name in names})


def _instance(thing: object, function: str) -> object:
    if isinstance(thing, type) or not dataclasses.is_dataclass(thing):
        raise TypeError(f"{function}() takes an object of a dataclass, not {thing!r:.80}")
    return thing


def _unpacked(runtime: Runtime, value: object, build: Callable[[list[tuple[str, object]]], object]) -> object:
    """A value with every dataclass in it taken apart; handles are waited for, everything else is shared."""
    value = runtime.value(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        items = [
            (item.name, _unpacked(runtime, getattr(value, item.name), build)) for item in dataclasses.fields(value)
        ]
        return build(items)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return tuple.__new__(type(value), [_unpacked(runtime, part, build) for part in value])
    if isinstance(value, (list, tuple)):
        plain = list if isinstance(value, list) else tuple
        return plain(_unpacked(runtime, part, build) for part in value)
    if isinstance(value, dict):
        return {key: _unpacked(runtime, part, build) for key, part in value.items()}
    return value
