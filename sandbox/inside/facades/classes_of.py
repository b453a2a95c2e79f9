"""`dataclasses`, `enum` and `typing`: what classes of a program are written with."""

from __future__ import annotations

import dataclasses
import enum
import typing
from collections.abc import Callable
from typing import Any, cast

from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.runtime import Runtime

_TYPING = (
    "Any Optional Union List Dict Tuple Set FrozenSet Sequence Mapping MutableMapping Iterable Iterator Callable Literal "
    "Final ClassVar Annotated Type TypeVar Generator Awaitable Coroutine NoReturn Self cast Collection Deque Counter "
    "DefaultDict Hashable AnyStr"
)


def dataclasses_facade(runtime: Runtime) -> Facade:
    """`dataclasses` on the program's own classes."""

    def dataclass(cls: object = None, /, **options: bool) -> object:
        allowed = {"init", "repr", "eq", "order", "frozen", "kw_only", "slots", "unsafe_hash", "match_args"}
        if set(options) - allowed:
            raise TypeError(f"dataclass() takes {', '.join(sorted(allowed))}")

        def make(target: object) -> type:
            if not runtime.is_program_class(target):
                raise TypeError("@dataclass works on classes of the program")
            for generated in ("__repr__", "__hash__"):  # the defaults that our class factory put in give way
                own = cast("type", target).__dict__.get(generated)
                if own is not None and getattr(own, "__module__", None) == "sandbox.inside.classes":
                    delattr(target, generated)
            made = cast("Callable[..., Any]", dataclasses.dataclass)(target, **options)
            return runtime.classes.add(made)

        return make if cls is None else make(cls)

    def field(**options: object) -> object:
        return cast("Callable[..., object]", dataclasses.field)(**options)

    def fields(thing: object) -> list[object]:
        found = dataclasses.fields(cast("Any", thing))
        return [Facade("field", {"name": item.name, "type": item.type}) for item in found]

    members = {
        "dataclass": dataclass, "field": field, "fields": fields, "asdict": dataclasses.asdict,
        "astuple": dataclasses.astuple, "replace": dataclasses.replace, "is_dataclass": dataclasses.is_dataclass,
        "KW_ONLY": dataclasses.KW_ONLY, "FrozenInstanceError": dataclasses.FrozenInstanceError,
    }  # fmt: skip
    return Facade("dataclasses", members)


def enum_facade(runtime: Runtime) -> Facade:
    """`enum`."""
    names = "Enum IntEnum StrEnum Flag IntFlag auto unique"
    return Facade("enum", {name: getattr(enum, name) for name in names.split()})


def typing_facade(runtime: Runtime) -> Facade:
    """`typing`: names to annotate with. `TypedDict`, `NamedTuple`, `Protocol` and `Generic` are plain bases."""
    members: dict[str, object] = {name: getattr(typing, name) for name in _TYPING.split()}
    for name in ("TypedDict", "Protocol"):
        members[name] = runtime.classes.add(type(name, (), {}))
    members["NamedTuple"] = runtime.classes.add(type("NamedTuple", (), {"__init__": _assign_fields}))
    members["Generic"] = runtime.classes.add(
        type("Generic", (), {"__class_getitem__": classmethod(lambda cls, _: cls)})
    )
    members["TYPE_CHECKING"] = False
    return Facade("typing", members)


def _assign_fields(self: object, *args: object, **kwargs: object) -> None:
    names = list(type(self).__dict__.get("__annotations__", {}))
    values = {**dict(zip(names, args, strict=False)), **kwargs}
    for name in names:
        if name not in values and not hasattr(type(self), name):
            raise TypeError(f"{type(self).__name__}() needs {name}")
        setattr(self, name, values.get(name, getattr(type(self), name, None)))
