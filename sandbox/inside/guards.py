"""The guards: what an attribute read, a call, a write and the other rewritten operations really do.

Names in underscores (`_getattr_`, `_call_`, ...) are the ones that the policy puts into the tree. A call resolves
handles among its arguments, one container deep, unless the callee can work with handles itself: functions and
classes of the program, the language's own functions, and the containers' methods pass them through.
"""

from __future__ import annotations

import difflib
import operator
import types
from collections import ChainMap, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, cast

from sandbox.inside.arithmetic import guarded_lshift, guarded_mul, guarded_pow
from sandbox.inside.concurrency import future_method
from sandbox.inside.deferred import Coroutine, Deferred, resolve, settled, value_of, wait
from sandbox.inside.formatting import safe_format, safe_format_spec, safe_percent
from sandbox.inside.policy import ALLOWED_METHODS, REFUSED_ATTRIBUTES
from sandbox.inside.values import Record, Row, Text

if TYPE_CHECKING:
    from sandbox.inside.runtime import Runtime


def _modulo(left: object, right: object) -> object:
    return safe_percent(left, right) if isinstance(left, (str, bytes)) else left % right  # type: ignore[operator]


_CONTAINERS = (list, dict, set, deque, defaultdict, OrderedDict, ChainMap)
_TRANSPARENT: frozenset[object] = frozenset(
    {list, tuple, dict, set, enumerate, zip, reversed, iter, next, filter, len, bool, OrderedDict, deque}
)
"""Work on handles as they are: they keep them, or use them in ways that a handle answers itself."""
_MUTATORS = frozenset({"shuffle", "heapify", "heappush", "heappop", "heapreplace", "heappushpop", "insort"})
"""Change a list in place, so it is resolved in place."""
_WRITABLE = (list, dict, deque, defaultdict, OrderedDict, ChainMap)
_CONVERSIONS: dict[str, Callable[[object], str]] = {"r": repr, "s": str, "a": ascii}
_INPLACE: dict[str, Callable[[object, object], object]] = {
    "+=": operator.iadd, "-=": operator.isub, "*=": guarded_mul, "/=": operator.itruediv, "%=": _modulo,
    "**=": guarded_pow, "<<=": guarded_lshift, ">>=": operator.irshift, "|=": operator.ior, "^=": operator.ixor,
    "&=": operator.iand, "//=": operator.ifloordiv, "@=": operator.imatmul,
}  # fmt: skip


class Return(BaseException):
    """A `return` at the top level of a program."""

    def __init__(self, value: object) -> None:
        self.value = value


class Guards:
    """The guards of one program, over its runtime."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.last_value: object = None

    def names(self) -> dict[str, object]:
        """What the rewritten program finds under the guards' names."""
        return {
            "_getattr_": self.getattr, "_write_": self.write, "_call_": self.call, "_inplacevar_": self.inplace,
            "_augment_attribute_": self.augment_attribute, "_augment_item_": self.augment_item,
            "_pow_": _with_values(guarded_pow), "_mul_": _with_values(guarded_mul),
            "_lshift_": _with_values(guarded_lshift), "_mod_": _with_values(_modulo),
            "_format_": self.format, "_statement_": self.statement, "_step_": self._runtime.step,
            "_caught_": self._runtime.caught, "_return_": self.top_level_return, "_coroutine_": self.coroutine,
            "_await_": self.wait_for_it, "_aiter_": self.async_iter, "_async_with_": self.async_with,
            "_subject_": self.subject, "_class_": self._runtime.classes,
        }  # fmt: skip

    # -- attributes -------------------------------------------------------------------------------------------

    def getattr(self, thing: object, name: str) -> object:
        """Read an attribute. Raises AttributeError for what the language leaves out."""
        if isinstance(thing, Deferred):
            return self._deferred_attribute(thing, name)
        if isinstance(thing, Record) and name in thing:
            return thing[name]
        if name.startswith("_"):
            return self._private(thing, name)
        if name in REFUSED_ATTRIBUTES and not self._runtime.classes.has(thing):
            raise AttributeError(f"the attribute {name!r} is not part of the workflow language")
        if name == "format" and (isinstance(thing, str) or (isinstance(thing, type) and issubclass(thing, str))):
            return _format_method(thing)
        if isinstance(thing, Record) and not hasattr(dict, name):
            raise AttributeError(f"the record has no key {name!r}{_close(name, thing)}")
        return getattr(thing, name)

    def _deferred_attribute(self, thing: Deferred, name: str) -> object:
        if name not in thing.shape_keys:
            method = future_method(self._runtime.concurrency, thing, name)
            if method is not None and not (settled(thing) and _has_key(thing, name)):
                return method
        return self.getattr(wait(thing), name)

    def _private(self, thing: object, name: str) -> object:
        if name in ("__name__", "__qualname__", "__doc__"):
            return getattr(thing, name)
        if name == "__class__":
            return _type_of(thing)
        own = self._runtime.classes.has(thing)
        if name == "__dict__" and own and not isinstance(thing, type):
            return dict(vars(thing))
        is_dunder = name.startswith("__")
        if not is_dunder and own:
            return getattr(thing, name)
        if is_dunder and name in ALLOWED_METHODS and (own or isinstance(thing, super) or thing is Exception):
            return getattr(thing, name)
        raise AttributeError(f"the attribute {name!r} is not part of the workflow language")

    def write(self, thing: object) -> object:
        """The thing whose attribute or item is about to be set. Raises TypeError for what cannot be changed."""
        thing = resolve(thing)
        if isinstance(thing, Record):
            return _RecordWriter(thing)
        if isinstance(thing, _WRITABLE) or self._runtime.classes.has(thing):
            return thing
        raise TypeError(f"a {type(thing).__name__} cannot be changed")

    # -- calls ------------------------------------------------------------------------------------------------

    def call(self, function: object, /, *args: object, **kwargs: object) -> object:
        """Call something, with handles among the arguments resolved where the callee needs values."""
        if isinstance(function, Deferred):
            function = wait(function)
        if self._passes_handles(function):
            return cast("Callable[..., object]", function)(*args, **kwargs)
        if isinstance(function, type | types.BuiltinFunctionType) and function in _TRANSPARENT:
            return function(*map(resolve, args), **kwargs)
        if getattr(function, "__name__", "") in _MUTATORS and args and type(args[0]) is list:
            args[0][:] = map(resolve, args[0])
        values = [_value(argument) for argument in args]
        named = {name: _value(argument) for name, argument in kwargs.items()}
        return function(*values, **named)  # type: ignore[operator]

    def _passes_handles(self, function: object) -> bool:
        if type(function) is types.FunctionType:
            return function.__globals__ is self._runtime.globals or function in self._runtime.aware
        if type(function) is types.MethodType:
            return self._runtime.classes.has(function.__self__) or self._runtime.is_aware_object(function.__self__)
        if type(function) is types.BuiltinMethodType:
            return isinstance(function.__self__, _CONTAINERS)
        if isinstance(function, type):
            return function in self._runtime.classes or function in self._runtime.aware
        return self._runtime.classes.has(function)

    # -- operators and statements -----------------------------------------------------------------------------

    def inplace(self, symbol: str, left: object, right: object) -> object:
        """`left symbol right`, in place where the left side can."""
        if isinstance(left, list) and symbol == "+=" and not isinstance(right, Deferred):
            left += right  # type: ignore[arg-type]
            return left
        return _INPLACE[symbol](resolve(left), resolve(right))

    def augment_attribute(self, thing: object, name: str, symbol: str, right: object) -> None:
        """`thing.name symbol right`."""
        thing = resolve(thing)
        value = self.inplace(symbol, self.getattr(thing, name), right)
        setattr(self.write(thing), name, value)

    def augment_item(self, thing: object, key: object, symbol: str, right: object) -> None:
        """`thing[key] symbol right`."""
        target = self.write(thing)
        container = resolve(thing)
        target[key] = self.inplace(symbol, container[key], right)  # type: ignore[index]

    def format(self, value: object, conversion: str, spec: str) -> str:
        """One replacement field of an f-string that has a format specification."""
        value = resolve(value)
        if conversion:
            value = _CONVERSIONS[conversion](value)
        return safe_format_spec(value, spec)

    def statement(self, value: object, last: bool) -> object:
        """An expression as a statement: a coroutine that nobody awaits runs, and the last value is remembered."""
        if isinstance(value, Coroutine):
            value = wait(value)
        if last:
            self.last_value = value
        return value

    def top_level_return(self, value: object) -> None:
        """End the program with a value."""
        raise Return(value)

    def subject(self, value: object) -> object:
        """What `match` looks at: the value, one container deep."""
        return _value(value)

    # -- async ------------------------------------------------------------------------------------------------

    def coroutine(self, function: Callable[..., object]) -> Callable[..., object]:
        """Make an `async def` function: calling it gives a coroutine."""
        concurrency = self._runtime.concurrency

        def start(*args: object, **kwargs: object) -> Coroutine:
            return concurrency.coroutine(lambda: function(*args, **kwargs))

        start.__name__ = start.__qualname__ = function.__name__
        start.__doc__ = function.__doc__
        self._runtime.aware.add(start)
        return start

    def wait_for_it(self, thing: object) -> object:
        """`await thing`; a list of handles is awaited as a whole, a plain value is itself."""
        if isinstance(thing, (list, tuple)) and any(isinstance(item, Deferred) for item in thing):
            return _value(thing)
        return resolve(thing)

    def async_iter(self, thing: object) -> Iterator[object]:
        """`async for`: over an asynchronous iterator of the program, or anything that can be iterated."""
        thing = resolve(thing)
        if not hasattr(thing, "__aiter__"):
            return iter(thing)  # type: ignore[call-overload, no-any-return]
        return _async_items(thing)

    def async_with(self, thing: object) -> object:
        """`async with`: a context manager of the program, asynchronous or not."""
        thing = resolve(thing)
        return _AsyncContext(thing) if hasattr(thing, "__aenter__") else thing


class _RecordWriter:
    """Sets keys of a record, as attributes or as items."""

    __slots__ = ("_record",)
    _record: Record

    def __init__(self, record: Record) -> None:
        object.__setattr__(self, "_record", record)

    def __setattr__(self, name: str, value: object) -> None:
        self._record[name] = value

    def __delattr__(self, name: str) -> None:
        del self._record[name]

    def __setitem__(self, key: str, value: object) -> None:
        self._record[key] = value

    def __delitem__(self, key: str) -> None:
        del self._record[key]


class _AsyncContext:
    """A program's asynchronous context manager, entered and left synchronously."""

    __slots__ = ("_thing",)

    def __init__(self, thing: object) -> None:
        self._thing = thing

    def __enter__(self) -> object:
        return resolve(self._thing.__aenter__())  # type: ignore[attr-defined]

    def __exit__(self, *error: object) -> bool:
        return bool(resolve(self._thing.__aexit__(*error)))  # type: ignore[attr-defined]


def _async_items(thing: object) -> Iterator[object]:
    iterator = thing.__aiter__()  # type: ignore[attr-defined]
    while True:
        try:
            yield resolve(iterator.__anext__())
        except StopIteration:
            return


def _value(argument: object) -> object:
    """The argument with handles resolved, one container deep; the container itself is never changed."""
    if isinstance(argument, Deferred):
        return wait(argument)
    kind = type(argument)
    if kind in (list, tuple, set, deque, Row):
        items: list[object] = list(argument)  # type: ignore[call-overload]
        if any(isinstance(item, Deferred) for item in items):
            return (list if kind is Row else kind)(resolve(item) for item in items)
    elif kind in (dict, Record) and any(isinstance(item, Deferred) for item in argument.values()):  # type: ignore[attr-defined]
        return {key: resolve(item) for key, item in argument.items()}  # type: ignore[attr-defined]
    return argument


def _with_values(operation: Callable[[object, object], object]) -> Callable[[object, object], object]:
    return lambda left, right: operation(resolve(left), resolve(right))


def _type_of(thing: object) -> type:
    for special, plain in ((Text, str), (Record, dict), (Row, list)):
        if isinstance(thing, special):
            return plain
    if isinstance(thing, type):
        raise AttributeError("the attribute '__class__' of a class is not part of the workflow language")
    return type(thing)


def _format_method(thing: object) -> Callable[..., str]:
    if isinstance(thing, str):
        return lambda *args, **kwargs: safe_format(thing, args, kwargs)
    return lambda template, *args, **kwargs: safe_format(template, args, kwargs)


def _has_key(thing: Deferred, name: str) -> bool:
    value = value_of(thing)
    return isinstance(value, Record) and name in value


def _close(name: str, record: Record) -> str:
    close = difflib.get_close_matches(name, [str(key) for key in record], 1)
    return f"; did you mean {close[0]!r}?" if close else f"; it has {', '.join(map(str, record))}"
