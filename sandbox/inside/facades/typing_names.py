"""`typing`: names to annotate with, and bases whose class statement means something at run time.

Annotations are the real typing objects, because `returns=` reads them. Left out is what evaluates text
(`get_type_hints`) and what would make classes (`Type[...]` is an inert name). `NamedTuple` gives tuples and `TypedDict` gives
dicts, both in the class statement and in the form of a call; `Generic` and `Protocol` are plain bases.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import NoReturn, TypeVar

from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.named import field_names, named_tuple, public_name
from sandbox.inside.facades.runtime import Runtime

Decorated = TypeVar("Decorated")

_NAMES = (
    "AbstractSet Annotated Any AnyStr AsyncGenerator AsyncIterable AsyncIterator Awaitable Callable ChainMap ClassVar "
    "Collection Container Coroutine Counter DefaultDict Deque Dict Final FrozenSet Generator Hashable Iterable Iterator "
    "List Literal LiteralString Mapping Match MutableMapping MutableSequence MutableSet Never NewType NoReturn "
    "NotRequired Optional OrderedDict Pattern Required Reversible Self Sequence Set Sized Text Tuple TypeAlias TypeVar "
    "Union cast"
)
_OPEN_NAMES = "Type TypeGuard Concatenate Unpack"
_DECORATORS = "final overload override runtime_checkable no_type_check"


class _OpenName:
    """A name that can be subscripted and joined with `|`, and nothing else."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, item: object) -> _OpenName:
        return self

    def __or__(self, other: object) -> _OpenName:
        return self

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"typing.{self._name}"


def typing_facade(runtime: Runtime) -> Facade:
    """`typing`."""
    members: dict[str, object] = {name: getattr(typing, name) for name in _NAMES.split()}
    members.update({name: _OpenName(name) for name in _OPEN_NAMES.split()})
    members.update(dict.fromkeys(_DECORATORS.split(), _as_it_is))
    members.update({name: _plain_base(runtime, name) for name in ("Generic", "Protocol")})
    members["TypedDict"] = _typed_dict(runtime)
    members["NamedTuple"] = _named_tuple_base(runtime)
    members["TYPE_CHECKING"] = False
    members["assert_never"] = _assert_never
    return Facade("typing", members)


def _as_it_is(thing: Decorated) -> Decorated:
    return thing


def _assert_never(value: object) -> NoReturn:
    raise AssertionError(f"expected code to be unreachable, but got: {value!r}")


def _plain_base(runtime: Runtime, name: str) -> type:
    """A base that can be subscripted. Its objects hash by serial number, as those of any class of a program."""
    members: dict[str, object] = {
        "__class_getitem__": classmethod(lambda cls, _: cls),
        "__hash__": lambda self: runtime.classes.serial(self),
        "__module__": "typing",
    }
    return runtime.classes.add(type(name, (), members))


def _typed_dict(runtime: Runtime) -> type:
    def __new__(cls: type, *args: object, **values: object) -> object:  # noqa: N807
        if cls is base and len(args) == 2:
            return make(args[0], args[1])
        return dict(*args, **values)

    def make(name: object, fields: object) -> type:
        if not isinstance(fields, Mapping):
            raise TypeError("TypedDict(name, fields) takes a dict of names and types")
        annotations = {public_name(field): kind for field, kind in fields.items()}
        return runtime.classes.add(type(public_name(name), (base,), {"__annotations__": annotations}))

    base = runtime.classes.add(type("TypedDict", (), {"__new__": __new__, "__module__": "typing"}))
    return base


def _named_tuple_base(runtime: Runtime) -> type:
    def __new__(cls: type, name: object, fields: object = ()) -> type:  # noqa: N807
        listed = list(fields)  # type: ignore[call-overload]
        return runtime.classes.add(named_tuple(name, field_names([field for field, _ in listed]), ()))

    members = {"__new__": __new__, "__repr__": object.__repr__, "__module__": "typing"}
    return runtime.classes.add(_NamedTupleKind("NamedTuple", (), members))


class _NamedTupleKind(type):
    """The metaclass that turns the fields of a class statement into a tuple's."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, object]) -> type:
        if not bases:
            return super().__new__(cls, name, bases, namespace)
        names = field_names(list(typing.cast("dict[str, object]", namespace.get("__annotations__", {}))))
        given = [field for field in names if field in namespace]
        if given != names[len(names) - len(given) :]:
            raise TypeError(f"a field without a default follows one with a default in the named tuple {name!r}")
        parent = named_tuple(name, names, tuple(namespace.pop(field) for field in given))
        _refuse_overwriting(namespace)
        return type(name, (parent,), {**namespace, "__slots__": ()})


def _refuse_overwriting(namespace: Mapping[str, object]) -> None:
    for name in namespace:
        if name in ("_fields", "_make", "_replace", "_asdict", "_field_defaults"):
            raise AttributeError(f"the named tuple's own {name!r} cannot be overwritten")
