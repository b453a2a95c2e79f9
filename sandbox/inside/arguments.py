"""Handles among the arguments of a call: which callees get them as they are, and which get values.

Containers, and what merely pairs or repeats things, keep handles. Everything else that is no function of the program
works on values: of a handle its value, of a container one container deep. What reads a generator to its end gets a
list, so that the calls which the generator makes leave together.
"""

from __future__ import annotations

import heapq
import itertools
import math
import types
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque

from sandbox.inside.deferred import Deferred, resolve, wait
from sandbox.inside.formatting import without_addresses
from sandbox.inside.values import Record, Row

CONTAINERS = (list, dict, set, deque, defaultdict, OrderedDict, ChainMap)
TRANSPARENT: frozenset[object] = frozenset(
    {
        list, tuple, dict, set, frozenset, enumerate, zip, reversed, iter, next, len, bool, any, all, OrderedDict, deque,
        itertools.chain, itertools.chain.from_iterable, itertools.combinations, itertools.count, itertools.cycle,
        itertools.combinations_with_replacement, itertools.compress, itertools.islice, itertools.pairwise,
        itertools.permutations, itertools.product, itertools.repeat, itertools.tee, itertools.zip_longest,
    }
)  # fmt: skip
"""Work on handles as they are: they keep them, or use them in ways that a handle answers itself."""
_STORING = frozenset(
    {"append", "appendleft", "insert", "add", "setdefault", "get", "pop", "remove", "discard", "fromkeys"}
)
"""Methods of containers that take one thing, whatever it is; the others take a container or a number."""
_COLLECTING: frozenset[object] = frozenset(
    {sum, min, max, sorted, set, frozenset, Counter, math.fsum, math.prod, heapq.nlargest, heapq.nsmallest, str.join}
)
"""Read an iterable to its end before they give anything."""
_MUTATORS = frozenset({"shuffle", "heapify", "heappush", "heappop", "heapreplace", "heappushpop", "insort"})
"""Change a list in place, so it is resolved in place."""
_NOTHING: dict[object, object] = {}
_VIEWS: tuple[type, ...] = (type(_NOTHING.keys()), type(_NOTHING.values()))
_ITEMS = type(_NOTHING.items())


def whole(function: object, argument: object) -> object:
    """An argument of a transparent callee: a handle's value; a generator in full where it is read to its end."""
    argument = resolve(argument)
    return list(argument) if type(argument) is types.GeneratorType and _collects(function) else argument


def for_container(method: types.BuiltinMethodType, argument: object) -> object:
    """An argument of a container's method."""
    return argument if method.__name__ in _STORING else resolve(argument)


def for_values(function: object, argument: object) -> object:
    """An argument of a callee that works on values."""
    if type(argument) is types.GeneratorType and _collects(function):
        return [resolve(item) for item in list(argument)]
    return value_of_container(argument)


def value_of_container(argument: object) -> object:
    """The argument with handles resolved, one container deep; the container itself is never changed."""
    if isinstance(argument, Deferred):
        return wait(argument)
    kind = type(argument)
    if kind in (list, tuple, set, deque, Row):
        items: list[object] = list(argument)  # type: ignore[call-overload]
        if any(isinstance(item, Deferred) for item in items):
            return (list if kind is Row else kind)(resolve(item) for item in items)
    elif kind in (dict, Record, defaultdict, OrderedDict):
        if any(isinstance(item, Deferred) for item in argument.values()):  # type: ignore[attr-defined]
            return {resolve(key): resolve(item) for key, item in argument.items()}  # type: ignore[attr-defined]
    elif kind in _VIEWS:
        items = list(argument)  # type: ignore[call-overload]
        return [resolve(item) for item in items] if any(isinstance(item, Deferred) for item in items) else argument
    elif kind is _ITEMS:
        return [tuple(map(resolve, pair)) for pair in argument]  # type: ignore[attr-defined]
    return argument


def resolve_in_place(function: object, argument: object) -> None:
    """What changes a list in place must find values in it."""
    name = getattr(function, "__name__", "")
    if type(argument) is list and name in _MUTATORS:
        argument[:] = map(resolve, argument)


def shown(value: object) -> str:
    """`str(value)`; where it shows objects, it shows no addresses."""
    text = str(value)
    return text if isinstance(value, (str, int, float)) else without_addresses(text)


def _collects(function: object) -> bool:
    if isinstance(function, type | types.BuiltinFunctionType | types.MethodDescriptorType) and function in _COLLECTING:
        return True
    if type(function) is types.BuiltinMethodType:
        return isinstance(function.__self__, str) and function.__name__ == "join"
    return type(function) is types.FunctionType and function.__module__ == "statistics"
