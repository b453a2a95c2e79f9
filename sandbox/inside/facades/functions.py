"""`functools`, `itertools`, `operator`, `collections`: with the doors to real functions closed."""

from __future__ import annotations

import collections
import collections.abc
import functools
import itertools
import keyword
import operator
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import cast

from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.runtime import Runtime

_ITERTOOLS = (
    "accumulate chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse groupby "
    "islice pairwise permutations product repeat starmap takewhile tee zip_longest"
)
_OPERATORS = (
    "add sub mul truediv floordiv mod neg pos abs and_ or_ xor "
    "not_ eq ne lt le gt ge contains countOf indexOf truth is_ is_not"
)


def itertools_facade(runtime: Runtime) -> Facade:
    """`itertools`, and `batched` on every version."""

    def batched(iterable: Iterable[object], n: int) -> Iterator[tuple[object, ...]]:
        iterator = iter(iterable)
        while batch := tuple(itertools.islice(iterator, n)):
            yield batch

    members: dict[str, object] = {name: getattr(itertools, name) for name in _ITERTOOLS.split()}
    return Facade("itertools", {**members, "batched": batched})


def operator_facade(runtime: Runtime) -> Facade:
    """`operator` without what reads attributes in C."""

    def itemgetter(*keys: object) -> Callable[[object], object]:
        def get(thing: object) -> object:
            values = tuple(runtime.value(thing)[key] for key in keys)  # type: ignore[index]
            return values[0] if len(keys) == 1 else values

        return get

    def attrgetter(*names: str) -> Callable[[object], object]:
        def get(thing: object) -> object:
            values = tuple(runtime.getattr(thing, name) for name in names)
            return values[0] if len(names) == 1 else values

        return get

    members: dict[str, object] = {name: getattr(operator, name) for name in _OPERATORS.split()}
    members.pop("mul")
    return Facade("operator", {**members, "itemgetter": itemgetter, "attrgetter": attrgetter})


def functools_facade(runtime: Runtime) -> Facade:
    """`functools`, with a `partial` and caches that do not hand out what they wrap."""

    def partial(function: Callable[..., object], *args: object, **kwargs: object) -> Callable[..., object]:
        def call(*more: object, **named: object) -> object:
            return runtime.call(function, *args, *more, **{**kwargs, **named})

        return call

    def cached(function: Callable[..., object]) -> Callable[..., object]:
        memory: dict[Hashable, object] = {}

        def call(*args: Hashable, **kwargs: Hashable) -> object:
            key = (args, tuple(sorted(kwargs.items())))
            if key not in memory:
                memory[key] = runtime.call(function, *args, **kwargs)
            return memory[key]

        return call

    def lru_cache(maxsize: object = 128, typed: bool = False) -> object:
        return cached(cast("Callable[..., object]", maxsize)) if callable(maxsize) else cached

    def wraps(wrapped: object, *_: object) -> Callable[[object], object]:
        return lambda function: function

    def reduce(function: Callable[..., object], items: Iterable[object], *start: object) -> object:
        return functools.reduce(lambda left, right: runtime.call(function, left, right), items, *start)

    members = {
        "partial": partial, "cache": cached, "lru_cache": lru_cache, "wraps": wraps, "reduce": reduce,
        "cmp_to_key": functools.cmp_to_key, "total_ordering": functools.total_ordering,
    }  # fmt: skip
    return Facade("functools", members)


def collections_facade(runtime: Runtime) -> Facade:
    """`collections`, with named tuples that are the program's own classes."""

    def namedtuple(typename: str, field_names: object, *, defaults: Iterable[object] = ()) -> type:
        names = field_names.replace(",", " ").split() if isinstance(field_names, str) else list(field_names)  # type: ignore[call-overload]
        for name in [typename, *names]:
            if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
                raise ValueError(f"{name!r} is no name for a named tuple or its field")
        made = collections.namedtuple(str(typename), [str(n) for n in names], defaults=list(defaults))  # type: ignore[misc]
        return runtime.classes.add(made)

    abc = Facade("collections.abc", {name: getattr(collections.abc, name) for name in _ABSTRACT.split()})
    members = {
        "Counter": collections.Counter, "defaultdict": collections.defaultdict, "OrderedDict": collections.OrderedDict,
        "deque": collections.deque, "ChainMap": collections.ChainMap, "namedtuple": namedtuple, "abc": abc,
    }  # fmt: skip
    return Facade("collections", members)


_ABSTRACT = "Iterable Iterator Sequence Mapping MutableMapping Set Callable Hashable Generator Awaitable Coroutine"
