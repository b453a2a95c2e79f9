"""The guards: what an attribute read, a call, a write and the other rewritten operations really do.

Names in underscores (`_getattr_`, `_call_`, ...) are the ones that the policy puts into the tree. A call resolves
handles among its arguments, one container deep, unless the callee can work with handles itself: functions and
classes of the program, the language's own functions, and the containers' methods pass them through.
"""

from __future__ import annotations

import abc
import difflib
import enum
import operator
import types
from collections import ChainMap, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ForwardRef, cast

from greenlet import greenlet

from sandbox.inside.arguments import (
    CONTAINERS,
    TRANSPARENT,
    for_container,
    for_values,
    resolve_in_place,
    shown,
    value_of_container,
    whole,
)
from sandbox.inside.arithmetic import guarded_imul, guarded_lshift, guarded_mul, guarded_pow
from sandbox.inside.blocks import Block, async_items
from sandbox.inside.concurrency import future_method
from sandbox.inside.deferred import Coroutine, Deferred, resolve, settled, value_of, wait
from sandbox.inside.facades.kinds import type_of
from sandbox.inside.formatting import safe_format, safe_format_spec, safe_percent, without_addresses
from sandbox.inside.patterns import Lookups, matchable
from sandbox.inside.policy import ALLOWED_METHODS, REFUSED_ATTRIBUTES
from sandbox.inside.values import Record

if TYPE_CHECKING:
    from sandbox.inside.runtime import Runtime


def _modulo(left: object, right: object) -> object:
    return safe_percent(left, right) if isinstance(left, (str, bytes)) else left % right  # type: ignore[operator]


_WRITABLE: frozenset[type] = frozenset({list, dict, deque, defaultdict, OrderedDict, ChainMap})
"""Looked for among the real ancestors of a type: `isinstance` would believe whatever an abstract class has registered."""
_CLOSED = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType, types.CellType, greenlet, ForwardRef)
"""Nothing hands these out; should something do so after all, they end the way."""
_PLAIN = (str, int, float, list, tuple, dict, set, frozenset, deque)
_READING = frozenset(
    {"__len__", "__contains__", "__getitem__", "__eq__", "__ne__", "__lt__", "__gt__", "__le__", "__ge__"}
)
_CONVERSIONS: dict[str, Callable[[object], str]] = {
    "r": lambda value: without_addresses(repr(value)), "s": shown, "a": lambda value: without_addresses(ascii(value))
}  # fmt: skip
_INPLACE: dict[str, Callable[[object, object], object]] = {
    "+=": operator.iadd, "-=": operator.isub, "*=": guarded_imul, "/=": operator.itruediv, "%=": _modulo,
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
        runtime.concurrency.caller = self.call

    def names(self) -> dict[str, object]:
        """What the rewritten program finds under the guards' names."""
        return {
            "_getattr_": self.getattr, "_write_": self.write, "_call_": self.call, "_inplacevar_": self.inplace,
            "_augment_attribute_": self.augment_attribute, "_augment_item_": self.augment_item,
            "_pow_": _with_values(guarded_pow), "_mul_": _with_values(guarded_mul),
            "_lshift_": _with_values(guarded_lshift), "_mod_": _with_values(_modulo),
            "_get_": resolve, "_annotation_": _annotation, "_lookups_": Lookups, "_with_": self.with_block,
            "_pattern_class_": self.pattern_class,
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
        if isinstance(thing, _CLOSED):
            raise AttributeError(f"a {type(thing).__name__} has no attributes in the workflow language")
        if name in REFUSED_ATTRIBUTES and (_never(thing, name) or not self._runtime.classes.has(thing)):
            raise AttributeError(f"the attribute {name!r} is not part of the workflow language")
        if name == "register" and isinstance(thing, abc.ABCMeta):
            raise AttributeError("an abstract class of the standard library takes no other classes in here")
        if name == "format":
            return _format_method(thing) or getattr(thing, name)
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
        if name in ("__cause__", "__context__") and isinstance(thing, Exception):
            earlier = getattr(thing, name)
            return earlier if isinstance(earlier, Exception) else None
        own = self._runtime.classes.has(thing)
        if name == "__dict__" and own and not isinstance(thing, type):
            return vars(thing)
        if name == "__members__" and own and isinstance(thing, enum.EnumMeta):
            return dict(thing.__members__)
        own = own or isinstance(thing, super)
        if name.startswith("__"):
            is_readable = _is_special_readable(thing, name, own)
        else:
            is_readable = own and self._runtime.classes.defines(thing, name)
        if not is_readable:
            raise AttributeError(f"the attribute {name!r} is not part of the workflow language")
        return getattr(thing, name)

    def write(self, thing: object) -> object:
        """The thing whose attribute or item is about to be set. Raises TypeError for what cannot be changed."""
        thing = resolve(thing)
        if isinstance(thing, Record):
            return _RecordWriter(thing)
        if not _WRITABLE.isdisjoint(type(thing).__mro__) or self._runtime.classes.has(thing):
            return thing
        raise TypeError(f"a {type(thing).__name__} cannot be changed")

    # -- calls ------------------------------------------------------------------------------------------------

    def call(self, function: object, /, *args: object, **kwargs: object) -> object:
        """Call something, with handles among the arguments resolved where the callee needs values."""
        if isinstance(function, Deferred):
            function = wait(function)
        if self._passes_handles(function):
            return cast("Callable[..., object]", function)(*args, **kwargs)
        if isinstance(function, type | types.BuiltinFunctionType) and function in TRANSPARENT:
            return function(*[whole(function, argument) for argument in args], **kwargs)
        if type(function) is types.BuiltinMethodType and isinstance(function.__self__, CONTAINERS):
            return function(*[for_container(function, argument) for argument in args], **kwargs)
        if args:
            resolve_in_place(function, args[0])
        values = [for_values(function, argument) for argument in args]
        if function is str and len(values) == 1 and not kwargs:
            return shown(values[0])
        named = {name: for_values(function, argument) for name, argument in kwargs.items()}
        return function(*values, **named)  # type: ignore[operator]

    def _passes_handles(self, function: object) -> bool:
        if type(function) is types.FunctionType:
            return function.__globals__ is self._runtime.globals or function in self._runtime.aware
        if type(function) is types.MethodType:
            return self._runtime.classes.has(function.__self__) or self._runtime.is_aware_object(function.__self__)
        if isinstance(function, type):
            return function in self._runtime.classes or function in self._runtime.aware
        return self._runtime.classes.has(function)

    # -- operators and statements -----------------------------------------------------------------------------

    def inplace(self, symbol: str, left: object, right: object) -> object:
        """`left symbol right`, in place where the left side can."""
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
        """One replacement field of an f-string."""
        value = resolve(value)
        if conversion:
            value = _CONVERSIONS[conversion](value)
        if not spec and not isinstance(value, str):
            return without_addresses(format(value))
        return safe_format_spec(value, spec)

    def statement(self, value: object, last: bool) -> object:
        """An expression as a statement: a coroutine that nobody awaits runs, and the last value is remembered."""
        if isinstance(value, Coroutine) and value.task is None and not value.started:
            value = wait(value)
        if last:
            self.last_value = value
        return value

    def top_level_return(self, value: object) -> None:
        """End the program with a value."""
        raise Return(value)

    def subject(self, value: object) -> object:
        """What `match` looks at: the value, one container deep."""
        return value_of_container(value)

    def pattern_class(self, cls: object, has_attributes: bool) -> object:
        """The class that a class pattern names."""
        return matchable(resolve(cls), has_attributes, self._runtime.classes)

    def with_block(self, thing: object) -> object:
        """`with thing`."""
        thing = resolve(thing)
        return Block(thing, "__enter__", "__exit__") if self._runtime.classes.has(thing) else thing

    # -- async ------------------------------------------------------------------------------------------------

    def coroutine(self, function: Callable[..., object]) -> Callable[..., object]:
        """Make an `async def` function: calling it gives a coroutine."""
        concurrency = self._runtime.concurrency

        def start(*args: object, **kwargs: object) -> Coroutine:
            return concurrency.coroutine(lambda: function(*args, **kwargs))

        start.__name__ = start.__qualname__ = function.__name__
        start.__doc__ = function.__doc__
        self._runtime.aware.add(start)
        concurrency.async_functions.add(start)
        return start

    def wait_for_it(self, thing: object) -> object:
        """`await thing`; a list of handles is awaited as a whole, a plain value is itself."""
        if isinstance(thing, (list, tuple)) and any(isinstance(item, Deferred) for item in thing):
            return value_of_container(thing)
        return resolve(thing)

    def async_iter(self, thing: object) -> Iterator[object]:
        """`async for`: over an asynchronous iterator of the program, or anything that can be iterated."""
        thing = resolve(thing)
        if not hasattr(thing, "__aiter__"):
            return iter(thing)  # type: ignore[call-overload, no-any-return]
        return async_items(thing)

    def async_with(self, thing: object) -> object:
        """`async with`: a context manager of the program, asynchronous or not."""
        thing = resolve(thing)
        own = self._runtime.classes.has(thing)
        return (
            Block(thing, "__aenter__", "__aexit__") if own and hasattr(thing, "__aenter__") else self.with_block(thing)
        )


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


def _with_values(operation: Callable[[object, object], object]) -> Callable[[object, object], object]:
    return lambda left, right: operation(resolve(left), resolve(right))


def _type_of(thing: object) -> type:
    if isinstance(thing, type):
        raise AttributeError("the attribute '__class__' of a class is not part of the workflow language")
    return type_of(thing)


def _never(thing: object, name: str) -> bool:
    """What is refused on the program's own objects, too, since they inherit it."""
    return name == "format_map" or isinstance(thing, type)


def _is_special_readable(thing: object, name: str, own: bool) -> bool:
    """Whether a special method can be read of a thing."""
    if name not in ALLOWED_METHODS:
        return False
    if own or name in ("__iter__", "__next__"):
        return True
    if isinstance(thing, type):
        return issubclass(thing, Exception) or (thing is object and name == "__init__")
    return isinstance(thing, _PLAIN) and name in _READING


def _format_method(thing: object) -> Callable[..., str] | None:
    """The safe `str.format` of a text, of a class of texts, or of `super()` in one; None of anything else."""
    if isinstance(thing, super):
        thing = thing.__self__  # type: ignore[attr-defined]
    if isinstance(thing, str):
        return lambda *args, **kwargs: safe_format(thing, args, kwargs)
    if isinstance(thing, type) and issubclass(thing, str):
        return lambda template, *args, **kwargs: safe_format(template, args, kwargs)
    return None


def _annotation(thunk: Callable[[], object]) -> object:
    """An annotation of a program that wants them unevaluated: what it names may come later."""
    try:
        return thunk()
    except NameError:
        return Any


def _has_key(thing: Deferred, name: str) -> bool:
    value = value_of(thing)
    return isinstance(value, Record) and name in value


def _close(name: str, record: Record) -> str:
    close = difflib.get_close_matches(name, [str(key) for key in record], 1)
    return f"; did you mean {close[0]!r}?" if close else f"; it has {', '.join(map(str, record))}"
