"""Other ways to run a program, beside which the sandbox is measured: each runs the same text with the same answers.

An engine that is not installed gives the reason in place of a figure. What they are: a fresh interpreter with the sandbox's
own runtime and no walls, the same in bubblewrap, smolagents' interpreter in this process, and pydantic-monty's warm worker.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from typing import Any

Run = Callable[[str], object]
"""Runs a program to its end. Raises whatever it raises."""

TASK = {"question": "What is 17 * 23?", "context": "", "answer_format": "a number"}

_FRESH = """
import sys
sys.path[:] = {path!r}
from sandbox.contract import Contract, Function, Parameter
from sandbox.inside.calls import Wire
from sandbox.inside.child import warm_up
from sandbox.inside.runtime import Runtime
from sandbox.work import Work
sent = []
replies = iter([])
def send(frame):
    global replies
    sent.append(frame)
    if frame["type"] == "calls":
        asked = [(r["call"], r["arguments"]["instruction"]) for r in frame["requests"]]
        replies = iter([{{"type": "reply", "call": call, "value": value}} for call, value in asked])
ask = Function("ask", (Parameter("agent", "text"), Parameter("instruction", "text"), Parameter("inputs", required=False)))
warm_up()
runtime = Runtime()
runtime.begin(Work({program!r}, Contract((ask,))), Wire(send, lambda: next(replies)))
runtime.run()
assert sent[-1]["type"] == "finished", sent[-1]
"""
_FLAGS = ("-s", "-P", "-S", "-B", "-c")
_BUBBLE = (
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
)


@contextmanager
def engines() -> Iterator[dict[str, Run | str]]:
    """The engines by name, ready to run; in place of one that is absent, why."""
    with ExitStack() as stack:
        yield {
            "fresh python + runtime": partial(_fresh, ()),
            "bubblewrap + python + runtime": _bubblewrap(),
            "smolagents, in process": _smolagents(),
            "pydantic-monty, warm worker": _monty(stack),
        }


def ask(agent: object, instruction: object, inputs: object = None, **_: object) -> str:
    """Answers at once."""
    return f"{agent}: {instruction}"


def parallel(things: Any = (), *more: Any, **_: object) -> list[object]:
    """One after the other, for engines that know no handles."""
    return [
        ask(*thing) if isinstance(thing, (tuple, list)) else thing for thing in ((things, *more) if more else things)
    ]


def fresh_code(program: str) -> str:
    """What a fresh interpreter is given to run a program in the sandbox's runtime."""
    return _FRESH.format(path=[entry for entry in (os.getcwd(), *sys.path) if entry], program=program)


def _fresh(before: tuple[str, ...], program: str) -> None:
    command = [*before, sys.executable, *_FLAGS, fresh_code(program)]
    subprocess.run(command, check=True, env={"PYTHONHASHSEED": "0"}, capture_output=True)  # noqa: S603


def _bubblewrap() -> Run | str:
    found = shutil.which("bwrap")
    if found is None:
        return "no bwrap: install the system package bubblewrap"
    run = partial(_fresh, (found, *_BUBBLE))
    try:
        run("1")
    except subprocess.CalledProcessError as error:
        return f"bwrap does not work here: {error.stderr.decode().strip().rpartition(chr(10))[2]}"
    return run


def _smolagents() -> Run | str:
    try:
        module = import_module("smolagents.local_python_executor")
    except ImportError:
        return "no smolagents: pip install smolagents"
    functions = {"ask": ask, "parallel": parallel, "gather": parallel}

    def run(program: str) -> object:
        executor = module.LocalPythonExecutor([], additional_functions=functions)
        executor.send_tools({})
        executor.send_variables({"task": TASK})
        return executor(program).output

    return run


def _unheard(stream: str, text: str) -> None:
    """Where printed text goes."""


def _monty(stack: ExitStack) -> Run | str:
    try:
        pool = stack.enter_context(import_module("pydantic_monty").Monty())
    except ImportError:
        return "no pydantic-monty: pip install pydantic-monty"
    functions = {"ask": ask, "parallel": parallel, "gather": parallel}

    def run(program: str) -> object:
        with pool.checkout() as session:
            return session.feed_run(program, inputs={"task": TASK}, external_lookup=functions, print_callback=_unheard)

    return run
