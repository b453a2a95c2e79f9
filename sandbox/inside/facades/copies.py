"""`copy`: of plain data and of the program's own objects, written out here.

The standard library copies an object by the recipe that the object gives (`__reduce__`), which can call and set
anything. Here containers and program objects are copied field by field, and everything else, handles among it, is shared.
"""

from __future__ import annotations

from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any, cast

from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.runtime import Runtime
from sandbox.inside.values import Record, Row

Copy = Callable[[object], object]


def copy_facade(runtime: Runtime) -> Facade:
    """`copy`."""

    def shallow(thing: object) -> object:
        return _rebuilt(runtime, runtime.value(thing), lambda part: part, lambda made: None)

    def deep(thing: object) -> object:
        return _deep(runtime, runtime.value(thing), {})

    return Facade("copy", {"copy": shallow, "deepcopy": deep})


def _deep(runtime: Runtime, thing: object, done: dict[int, tuple[object, object]]) -> object:
    """A deep copy; `done` keeps what was copied, so that shared and circular parts stay so."""
    if id(thing) in done:
        return done[id(thing)][1]

    def remember(made: object) -> None:
        done[id(thing)] = (thing, made)

    return _rebuilt(runtime, thing, lambda part: _deep(runtime, part, done), remember)


def _rebuilt(runtime: Runtime, thing: object, copy: Copy, remember: Callable[[object], None]) -> object:
    """A new `thing` with copied parts. A thing that can hold itself is remembered before its parts are copied."""
    kind = type(thing)
    if kind in (list, Row, set, deque):
        return _filled(cast("list[object]", thing), copy, remember)
    if isinstance(thing, (dict, ChainMap)):
        return _mapping(thing, copy, remember)
    if kind in (tuple, frozenset):
        return kind(copy(part) for part in thing)  # type: ignore[attr-defined]
    if isinstance(thing, tuple):
        return cast("Any", tuple).__new__(kind, [copy(part) for part in tuple.__iter__(thing)])
    if runtime.is_program_class(kind) and _plainly_made(kind):
        return _object(thing, copy, remember)
    return thing


def _filled(thing: list[object], copy: Copy, remember: Callable[[object], None]) -> object:
    made = deque(maxlen=thing.maxlen) if isinstance(thing, deque) else type(thing)()
    remember(made)
    for part in list(thing):
        (made.add if isinstance(made, set) else made.append)(copy(part))
    _keep_call(thing, made)
    return made


def _mapping(
    thing: dict[object, object] | ChainMap[object, object], copy: Copy, remember: Callable[[object], None]
) -> object:
    if isinstance(thing, ChainMap):
        return ChainMap(*[cast("dict[object, object]", copy(part)) for part in thing.maps])
    made: dict[object, object]
    made = defaultdict(thing.default_factory) if isinstance(thing, defaultdict) else _empty(thing)
    remember(made)
    for key, value in list(thing.items()):
        made[copy(key)] = copy(value)
    _keep_call(thing, made)
    return made


def _empty(thing: dict[object, object]) -> dict[object, object]:
    for kind in (Counter, OrderedDict, Record):
        if isinstance(thing, kind):
            return cast("dict[object, object]", kind())
    return {}


def _keep_call(thing: object, made: object) -> None:
    """A copied reply remembers the call that it came from."""
    if isinstance(made, (Record, Row)) and hasattr(thing, "call"):
        made.call = thing.call


def _plainly_made(kind: type) -> bool:
    """Whether objects of a class are nothing but their fields: no enum member, no exception, no text."""
    return cast("Any", kind).__new__ is object.__new__


def _object(thing: object, copy: Copy, remember: Callable[[object], None]) -> object:
    made = object.__new__(type(thing))
    remember(made)
    for name, value in _fields(thing):
        object.__setattr__(made, name, copy(value))
    return made


def _fields(thing: object) -> Iterator[tuple[str, object]]:
    yield from list(getattr(thing, "__dict__", {}).items())
    for kind in type(thing).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(thing, name):
                yield name, getattr(thing, name)
