"""The runtime of one program: everything that its names stand for, tied together, and the program run to its end.

A runtime is made once, in the zygote, so that each child has one of its own when it is forked; `begin` gives it the work.
`run` compiles the program, executes it as the root branch of the scheduler and reports to the host how it ended: with a
value, or an error with its line.
"""

from __future__ import annotations

import ast
import os
import sys
import traceback
import types
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import NoReturn

from sandbox import frames
from sandbox.contract import MODULES
from sandbox.errors import (
    DeadlockError,
    LimitExceeded,
    LimitKind,
    ResultError,
    WorkflowError,
    WorkflowRuntimeError,
)
from sandbox.frames import Frame
from sandbox.inside.aio import AWARE_TYPES, asyncio_facade, futures_facade
from sandbox.inside.calls import NOWHERE, Calls, Wire, host_function
from sandbox.inside.classes import Classes
from sandbox.inside.compiling import PROGRAM_FILE, compile_program
from sandbox.inside.concurrency import CancelledError, Concurrency
from sandbox.inside.deferred import resolve
from sandbox.inside.facades import plain_modules
from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.numbers import random_facade
from sandbox.inside.formatting import without_addresses
from sandbox.inside.guards import Guards, Return
from sandbox.inside.safe_builtins import safe_builtins
from sandbox.inside.scheduler import BranchCancelled, Deadlock, Scheduler
from sandbox.inside.values import NotPlain, Plain, Record, error_text
from sandbox.work import Work

_HINTS: Mapping[str, str] = {
    "KeyError": "print what the dict holds, or use .get()",
    "AttributeError": "text replies are str; ask with returns={...} to get fields",
    "NameError": "define the name first; a program sees only task, ask, gather, parallel, share, recall and the modules",
    "ImportError": "leave the import away; only a few standard modules exist",
    "TypeError": "check the arguments",
}


class Runtime:
    """The names, guards and scheduler of one program. Also what the facades may ask of the world."""

    def __init__(self) -> None:
        self._work = Work("")
        self._wire = NOWHERE
        self._steps_left = 0
        self._printed = 0
        self.classes = Classes()
        self.aware: set[object] = set()
        self._calls = Calls(self.stop, CancelledError)
        self._scheduler = self._calls.scheduler = Scheduler(self._calls)
        self.concurrency = Concurrency(self._scheduler, self._calls, self._fatal)
        self._guards = Guards(self)
        self._outcome: Frame | None = None
        self.modules = self._make_modules()
        self.globals = self._make_globals()

    def begin(self, work: Work, wire: Wire) -> None:
        """Take the work on: what is left are the names, values and limits of its contract."""
        contract = work.contract
        self._work, self._wire, self._steps_left = work, wire, work.limits.steps
        self._scheduler.time = work.setting.now
        failures = _failure_classes(contract.failures)
        self._calls.wire, self._calls.limits, self._calls.failures = wire, work.limits, failures
        self._calls.paced = work.setting.paced
        functions = self._host_functions()
        self.concurrency.pair = next((functions[f.name] for f in contract.functions if f.gives == "handle"), None)
        self.modules["random"] = random_facade(self)
        self.globals.update(failures)
        self.globals.update(functions)
        self.globals.update({name: _given(value) for name, value in contract.values.items()})

    # -- what facades and guards ask of the runtime -----------------------------------------------------------

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self._work.setting.seed

    def now(self) -> float:
        """The run's start plus the virtual time that has passed, in Unix seconds."""
        return self._scheduler.time

    def sleep(self, seconds: float) -> None:
        """Let virtual time pass."""
        self.concurrency.sleep(float(seconds))

    def call(self, function: object, *args: object, **kwargs: object) -> object:
        """Call something the guarded way."""
        return self._guards.call(function, *args, **kwargs)

    def value(self, thing: object) -> object:
        """The value of a handle, or the thing itself."""
        return resolve(thing)

    def getattr(self, thing: object, name: str) -> object:
        """Read an attribute the guarded way."""
        return self._guards.getattr(thing, name)

    def is_program_class(self, cls: object) -> bool:
        """Whether the program defined this class."""
        return cls in self.classes

    def is_aware_object(self, thing: object) -> bool:
        """Whether the methods of this object work with handles themselves."""
        return isinstance(thing, (*AWARE_TYPES, Concurrency))

    def step(self) -> None:
        """Count one step."""
        self._steps_left -= 1
        if self._steps_left < 0:
            self.stop("steps", self._work.limits.steps, "the program ran too many loop rounds and function calls")

    def caught(self) -> None:
        """The first thing in every `except` block: what no program may catch ends it here."""
        if isinstance(sys.exception(), MemoryError):
            self.stop("memory", self._work.limits.memory_bytes, "the program used too much memory")

    def print(self, text: str) -> None:
        """Hand printed text to the host."""
        self._printed += len(text)
        if self._printed > self._work.limits.printed_chars:
            self.stop("output", self._work.limits.printed_chars, "the program printed too much")
        self._wire.send({"type": "printed", "text": text.encode("utf-8", "replace").decode("utf-8")})

    def stop(self, limit: LimitKind, value: float, message: str) -> NoReturn:
        """End the process at once because a limit was reached; no `finally` of the program runs."""
        line = _line_of_stack(sys._getframe())
        error = LimitExceeded(message, line, self._source_line(line), _limit_hint(limit), limit, value)
        self._report({"type": "failed", "error": _as_frame(error)})
        os._exit(0)

    def waiting_line(self) -> int | None:
        """The line at which the root branch waits, while no branch runs."""
        root = self._scheduler.root
        return _line_of_stack(root.gr_frame) if root is not None and not root.dead else None

    # -- running ----------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Run the program and report how it ended."""
        try:
            code = self._compile()
        except WorkflowError as error:
            self._report({"type": "failed", "error": _as_frame(error)})
            return
        try:
            self._scheduler.run(lambda: self._root(code))
        except Deadlock:
            message = "the program waits for something that can never happen"
            deadlock = DeadlockError(message, hint="await only what was started")
            self._report({"type": "failed", "error": _as_frame(deadlock)})
            return
        self._report(self._outcome or {"type": "finished", "value": None})

    def _compile(self) -> types.CodeType:
        result = compile_program(self._work.program, self._work.limits)
        if isinstance(result, WorkflowError):
            raise result
        return result

    def _root(self, code: types.CodeType) -> None:
        try:
            value = self._plain().convert(self._final_value(code))
        except Exception as error:  # noqa: BLE001 - the program's own
            self._outcome = {"type": "failed", "error": _as_frame(self._program_error(error))}
        except BranchCancelled:
            self._outcome = {"type": "failed", "error": _as_frame(WorkflowRuntimeError("the program cancelled itself"))}
        except BaseException as error:  # noqa: BLE001 - nothing else may end a child silently
            self._fatal(error)
        else:
            self._outcome = {"type": "finished", "value": value}

    def _final_value(self, code: types.CodeType) -> object:
        try:
            exec(code, self.globals)  # noqa: S102 - this is what the sandbox is for
        except Return as returned:
            return _resolved(returned.value)
        if self.globals.get("result") is not None:
            return _resolved(self.globals["result"])
        main = self.globals.get("main")
        if self._guards.last_value is None and callable(main) and not self._called_main():
            return _resolved(main())
        return _resolved(self._guards.last_value)

    def _called_main(self) -> bool:
        tree = ast.parse(self._work.program)
        return any(isinstance(n, ast.Name) and n.id == "main" and isinstance(n.ctx, ast.Load) for n in ast.walk(tree))

    def _program_error(self, error: Exception) -> WorkflowError:
        line = _line_of_traceback(error)
        source = self._source_line(line)
        if isinstance(error, MemoryError):
            limit = self._work.limits.memory_bytes
            return LimitExceeded("the program used too much memory", line, source, None, "memory", limit)
        if isinstance(error, NotPlain):
            return ResultError(f"the program's value cannot be handed back: {error}", line, source)
        name = type(error).__name__
        text = without_addresses(error_text(error))
        message = f"{name}: {text}" if text else name
        return WorkflowRuntimeError(message[:2000], line, source, _HINTS.get(name))

    def _fatal(self, error: BaseException) -> None:
        message = f"{type(error).__name__} cannot be raised here"
        if isinstance(error, Return):
            self._outcome = {"type": "finished", "value": self._plain().convert(_resolved(error.value))}
            self._report(self._outcome)
        else:
            line = _line_of_traceback(error)
            self._report(
                {"type": "failed", "error": _as_frame(WorkflowRuntimeError(message, line, self._source_line(line)))}
            )
        os._exit(0)

    def _report(self, frame: Frame) -> None:
        frame["steps"] = self._work.limits.steps - max(self._steps_left, 0)
        limits = self._work.limits
        try:
            size = len(frames.encode({"value": frame.get("value")}, limits.frame_bytes))
            if size > limits.result_bytes:
                raise ValueError(f"it has {size} bytes as JSON")
            self._wire.send(frame)
        except (ValueError, RecursionError) as problem:
            error = LimitExceeded(
                f"the program's value is too large: {problem}", limit="result", value=limits.result_bytes
            )
            self._wire.send({"type": "failed", "error": _as_frame(error), "steps": frame["steps"]})

    # -- the names of the program -----------------------------------------------------------------------------

    def _plain(self) -> Plain:
        return Plain(resolve, self.classes.has)

    def _host_functions(self) -> dict[str, Callable[..., object]]:
        contract = self._work.contract
        functions = {spec.name: host_function(spec, contract, self._calls, self._plain) for spec in contract.functions}
        self.aware.update(functions.values())
        return functions

    def _make_modules(self) -> dict[str, Facade]:
        modules = dict(plain_modules(self))
        modules["asyncio"] = asyncio_facade(self.concurrency)
        futures = modules["concurrent.futures"] = futures_facade(self.concurrency)
        modules["concurrent"] = Facade("concurrent", {"futures": futures})
        for module in (modules["asyncio"], futures):
            self.aware.update(m for m in module._members.values() if isinstance(m, types.FunctionType))
        return modules

    def _make_globals(self) -> dict[str, object]:
        builtins = dict(safe_builtins(self))
        builtins["__import__"] = self._import
        builtins["__build_class__"] = __build_class__
        names: dict[str, object] = {"__builtins__": builtins, "__name__": "__main__"}
        names.update(self._guards.names())
        names["gather"], names["parallel"] = self.concurrency.gather, self.concurrency.parallel
        return names

    def _import(
        self, name: str, globals_: object = None, locals_: object = None, names: object = (), level: int = 0
    ) -> Facade:
        contract = self._work.contract
        if name not in self.modules or level or not contract.may_import(name):
            known = ", ".join(module for module in MODULES if contract.may_import(module)) or "none"
            fate = f"the module {name!r} is held back from this program"
            if name not in self.modules or level:
                fate = f"no module {name!r} in the workflow language"
            raise ImportError(f"{fate}; there are {known}")
        return self.modules[name] if names else self.modules[name.partition(".")[0]]

    def _source_line(self, line: int | None) -> str | None:
        lines = self._work.program.splitlines()
        return lines[line - 1].strip()[:200] if line and line <= len(lines) else None


def _failure_classes(tree: Mapping[str, str | None]) -> dict[str, type[Exception]]:
    classes: dict[str, type[Exception]] = {}
    for name, parent in tree.items():
        classes[name] = type(name, (classes[parent] if parent else Exception,), {})
    return classes


def _given(value: object) -> object:
    """A value of the contract as a program sees it: records can be read by attribute, and stem from no call."""
    if isinstance(value, dict):
        return Record((key, _given(item)) for key, item in value.items())
    return [_given(item) for item in value] if isinstance(value, list) else value


def _resolved(value: object) -> object:
    value = resolve(value)
    return value() if isinstance(value, types.FunctionType) else value


def _line_of_traceback(error: BaseException) -> int | None:
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == PROGRAM_FILE]
    return lines[-1] if lines else None


def _line_of_stack(frame: types.FrameType | None) -> int | None:
    while frame is not None and frame.f_code.co_filename != PROGRAM_FILE:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else None


def _as_frame(error: WorkflowError) -> Frame:
    return {"kind": error.kind, **asdict(error)}


def _limit_hint(limit: LimitKind) -> str | None:
    return {"steps": "do less in loops", "calls": "ask for fewer calls at once"}.get(limit)
