"""`functools`, `itertools`, `operator`: with the doors to real functions closed.

What calls a function for the program calls it the guarded way, so that a builtin among them never sees a handle. What
wraps a function does not hand it out.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar, cast

from sandbox.inside.arithmetic import guarded_lshift, guarded_mul, guarded_pow
from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.runtime import Runtime
from sandbox.inside.formatting import safe_percent

Function = Callable[..., object]
Wrapped = TypeVar("Wrapped")

_ITERTOOLS = (
    "chain combinations combinations_with_replacement compress count cycle islice pairwise permutations product repeat "
    "tee zip_longest"
)
_FUNCTION_FIRST = "dropwhile filterfalse starmap takewhile"
_OPERATORS = (
    "add sub truediv floordiv neg pos abs and_ or_ xor invert rshift matmul index concat getitem "
    "not_ eq ne lt le gt ge contains countOf indexOf truth is_ is_not"
)


def itertools_facade(runtime: Runtime) -> Facade:
    """`itertools`, and `batched` on every version."""

    def batched(iterable: Iterable[object], n: int, *, strict: bool = False) -> Iterator[tuple[object, ...]]:
        if n < 1:
            raise ValueError("n must be at least one")
        return _batches(iter(iterable), n, strict)

    def accumulate(items: Iterable[object], func: Function | None = None, *, initial: object = None) -> object:
        return itertools.accumulate(items, _guarded(runtime, func or operator.add), initial=initial)

    def groupby(items: Iterable[object], key: Function | None = None) -> object:
        return itertools.groupby(items, None if key is None else _guarded(runtime, key))

    def function_first(name: str) -> Function:
        real = getattr(itertools, name)
        return lambda function, items: real(function and _guarded(runtime, function), items)

    members: dict[str, object] = {name: getattr(itertools, name) for name in _ITERTOOLS.split()}
    members.update({name: function_first(name) for name in _FUNCTION_FIRST.split()})
    return Facade("itertools", {**members, "batched": batched, "accumulate": accumulate, "groupby": groupby})


def operator_facade(runtime: Runtime) -> Facade:
    """`operator`; what reads attributes does it through the guard, what can blow up is measured first."""

    def itemgetter(*keys: object) -> Function:
        def get(thing: object) -> object:
            return _one_or_all([runtime.value(thing)[key] for key in keys])  # type: ignore[index]

        return get

    def attrgetter(*names: str) -> Function:
        def get(thing: object) -> object:
            return _one_or_all([functools.reduce(runtime.getattr, str.split(name, "."), thing) for name in names])

        return get

    def methodcaller(name: str, /, *args: object, **kwargs: object) -> Function:
        return lambda thing: runtime.call(runtime.getattr(thing, name), *args, **kwargs)

    def mod(left: object, right: object) -> object:
        return safe_percent(left, right) if isinstance(left, (str, bytes)) else left % right  # type: ignore[operator]

    members: dict[str, object] = {name: getattr(operator, name) for name in _OPERATORS.split()}
    members.update(mul=guarded_mul, pow=guarded_pow, lshift=guarded_lshift, mod=mod)
    return Facade(
        "operator", {**members, "itemgetter": itemgetter, "attrgetter": attrgetter, "methodcaller": methodcaller}
    )


def functools_facade(runtime: Runtime) -> Facade:
    """`functools`, with a `partial` and caches that do not hand out what they wrap."""

    def partial(function: Function, /, *args: object, **kwargs: object) -> Function:
        if not callable(function):
            raise TypeError("the first argument of partial() must be callable")

        def call(*more: object, **named: object) -> object:
            return runtime.call(function, *args, *more, **{**kwargs, **named})

        runtime.aware.add(call)
        return _named_like(call, function)

    def lru_cache(maxsize: object = 128, typed: bool = False) -> object:
        if callable(maxsize):
            return cached(maxsize)
        size = None if maxsize is None else operator.index(maxsize)  # type: ignore[arg-type]
        return lambda function: _cached(runtime, function, size, typed)

    def cached(function: Function) -> object:
        return _cached(runtime, function, None, False)

    def wraps(wrapped: object, assigned: object = (), updated: object = ()) -> Callable[[Wrapped], Wrapped]:
        return lambda wrapper: _named_like(wrapper, wrapped)

    def update_wrapper(wrapper: Wrapped, wrapped: object, assigned: object = (), updated: object = ()) -> Wrapped:
        return _named_like(wrapper, wrapped)

    def reduce(function: Function, items: Iterable[object], *initial: object) -> object:
        return functools.reduce(_guarded(runtime, function), items, *initial)

    def cmp_to_key(compare: Function) -> object:
        return functools.cmp_to_key(cast("Callable[[object, object], int]", _guarded(runtime, compare)))

    def total_ordering(cls: object) -> type:
        if not runtime.is_program_class(cls):
            raise TypeError("@total_ordering works on classes of the program")
        return functools.total_ordering(cast("type", cls))

    members = {
        "partial": partial, "cache": cached, "lru_cache": lru_cache, "wraps": wraps, "reduce": reduce,
        "update_wrapper": update_wrapper, "cmp_to_key": cmp_to_key, "total_ordering": total_ordering,
        "cached_property": functools.cached_property,
    }  # fmt: skip
    return Facade("functools", members)


def _guarded(runtime: Runtime, function: Function) -> Function:
    return lambda *args: runtime.call(function, *args)


def _cached(runtime: Runtime, function: Function, size: int | None, typed: bool) -> object:
    """A real cache, which binds as a method and counts its hits, around a guarded call."""

    def call(*args: object, **kwargs: object) -> object:
        return runtime.call(function, *args, **kwargs)

    made = functools.lru_cache(size, typed)(_named_like(call, function))
    del made.__wrapped__
    return made


def _named_like(wrapper: Wrapped, wrapped: object) -> Wrapped:
    """Give a function the name and text of another; the link to it (`__wrapped__`) is left out."""
    if isinstance(wrapper, type(_named_like)):
        for name in ("__name__", "__qualname__", "__doc__"):
            value = getattr(wrapped, name, None)
            if isinstance(value, str):
                setattr(wrapper, name, str.__str__(value))
    return wrapper


def _batches(items: Iterator[object], n: int, strict: bool) -> Iterator[tuple[object, ...]]:
    while batch := tuple(itertools.islice(items, n)):
        if strict and len(batch) < n:
            raise ValueError("batched(): incomplete batch")
        yield batch


def _one_or_all(values: list[object]) -> object:
    return values[0] if len(values) == 1 else tuple(values)
