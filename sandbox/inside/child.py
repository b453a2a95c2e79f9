"""One forked child: it puts itself under limits, reads its work from the socket, does it, and ends.

The child can only write frames. What kills it from outside leaves a trace: `faulthandler` writes the program's
line to the dump descriptor when the processor timer or the wall signal arrives, even inside a C function.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import socket
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import cast

from sandbox import frames
from sandbox.contract import Contract, Function, Parameter
from sandbox.frames import Frame
from sandbox.inside import lint
from sandbox.inside.calls import Wire
from sandbox.inside.compiling import PROGRAM_FILE
from sandbox.inside.runtime import Runtime, Work
from sandbox.limits import Limits

RECURSION_LIMIT = 2_000
START_FRAME_LIMIT = 8 * 2**20
"""The first frame carries program and contract; it comes from the host and may be larger than the rest."""


def main(connection: socket.socket, dump: int) -> None:
    """Do the work that arrives on `connection`, then end the process."""
    _be_killable(dump)
    try:
        start = frames.receive(connection, START_FRAME_LIMIT)
    except EOFError:
        os._exit(0)
    work = _work(start)
    _confine(work.limits)
    limit = work.limits.frame_bytes
    wire = Wire(lambda frame: frames.send(connection, frame, limit), lambda: _receive(connection, limit))
    runtime = Runtime(work, wire)
    _say_where_it_waits(runtime, dump)
    if start["type"] == "check":
        _check(work, runtime, wire)
    else:
        runtime.run()
    os._exit(0)


def warm_up() -> None:
    """Do everything once that fills a cache, so that no child has to: done in the zygote, before it forks."""
    work = Work("import json\nx = [i for i in range(3)]\nreturn f'{json.dumps(x):>9}'", Contract(), Limits(), 0, 0.0)
    sent: list[Frame] = []
    runtime = Runtime(work, Wire(sent.append, dict))
    runtime.run()
    _check(work, runtime, Wire(sent.append, dict))
    assert sent[-2]["type"] == "finished", f"the language does not work: {sent}"


def _receive(connection: socket.socket, limit: int) -> Frame:
    try:
        return frames.receive(connection, limit)
    except EOFError:
        os._exit(0)


def _say_where_it_waits(runtime: Runtime, dump: int) -> None:
    """On the wall signal, while the program waits, no stack shows its line: ask the runtime, then end."""

    def end(*_: object) -> None:
        line = runtime.waiting_line()
        if line is not None:
            os.write(dump, f'File "{PROGRAM_FILE}", line {line}\n'.encode())
        os._exit(0)

    faulthandler.unregister(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, end)
    faulthandler.register(signal.SIGUSR1, file=dump, all_threads=False, chain=True)


def _be_killable(dump: int) -> None:
    for number in (signal.SIGPROF, signal.SIGUSR1):
        faulthandler.register(number, file=dump, all_threads=False, chain=True)


def _confine(limits: Limits) -> None:
    """Timers and resource limits. Namespaces and system call filters have their place right here."""
    sys.setrecursionlimit(RECURSION_LIMIT)
    used = _address_space()
    _lower(resource.RLIMIT_AS, used + limits.memory_bytes)
    _lower(resource.RLIMIT_CPU, int(limits.cpu_seconds) + 2)
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NOFILE, 16)
    signal.setitimer(signal.ITIMER_PROF, limits.cpu_seconds)


def _lower(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))


def _address_space() -> int:
    """Bytes that the process maps now; what it adds is limited."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 512 * 2**20


def _check(work: Work, runtime: Runtime, wire: Wire) -> None:
    builtins = cast("Mapping[str, object]", runtime.globals["__builtins__"])
    known = {*runtime.globals, *builtins, "super"}
    found = lint.check(work.program, work.contract, work.limits, known, runtime.modules)
    wire.send({"type": "findings", "findings": [asdict(finding) for finding in found]})


def _work(start: Frame) -> Work:
    contract = cast("dict[str, object]", start["contract"])
    limits = cast("dict[str, int]", start["limits"])
    return Work(
        program=cast("str", start["program"]),
        contract=_contract(contract),
        limits=Limits(**limits),
        seed=cast("int", start["seed"]),
        now=cast("float", start["now"]),
    )


def _contract(data: dict[str, object]) -> Contract:
    functions = tuple(_function(function) for function in cast("list[dict[str, object]]", data.pop("functions")))
    return Contract(functions=functions, **data)  # type: ignore[arg-type]


def _function(data: dict[str, object]) -> Function:
    parameters = cast("list[dict[str, object]]", data.pop("parameters"))
    made = tuple(Parameter(**{**p, "choices": tuple(cast("list[str]", p["choices"]))}) for p in parameters)  # type: ignore[arg-type]
    return Function(parameters=made, **data)  # type: ignore[arg-type]
