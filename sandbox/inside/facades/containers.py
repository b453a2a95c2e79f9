"""`collections` (with `collections.abc`), `heapq`, `bisect`: containers and orders."""

from __future__ import annotations

import bisect
import collections
import collections.abc
import heapq
from collections.abc import Iterable

from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.named import field_names, named_tuple
from sandbox.inside.facades.runtime import Runtime

_CONTAINERS = "Counter defaultdict OrderedDict deque ChainMap"
_ABSTRACT = (
    "AsyncGenerator AsyncIterable AsyncIterator Awaitable Callable Collection Container Coroutine Generator Hashable "
    "ItemsView Iterable Iterator KeysView Mapping MutableMapping MutableSequence MutableSet Reversible Sequence Set "
    "Sized ValuesView"
)
_HEAPQ = "heappush heappop heapify heapreplace heappushpop nlargest nsmallest merge"
_BISECT = "bisect bisect_left bisect_right insort insort_left insort_right"


def collections_facade(runtime: Runtime) -> Facade:
    """`collections`, with named tuples that are the program's own classes."""

    def namedtuple(
        typename: object, names: object, *, rename: object = False, defaults: Iterable[object] | None = None
    ) -> type:
        return runtime.classes.add(named_tuple(typename, field_names(names), tuple(defaults or ())))

    abstract = Facade("collections.abc", {name: getattr(collections.abc, name) for name in _ABSTRACT.split()})
    members: dict[str, object] = {name: getattr(collections, name) for name in _CONTAINERS.split()}
    return Facade("collections", {**members, "namedtuple": namedtuple, "abc": abstract})


def heapq_facade(runtime: Runtime) -> Facade:
    """`heapq`."""
    return Facade("heapq", {name: getattr(heapq, name) for name in _HEAPQ.split()})


def bisect_facade(runtime: Runtime) -> Facade:
    """`bisect`."""
    return Facade("bisect", {name: getattr(bisect, name) for name in _BISECT.split()})
