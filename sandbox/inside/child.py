"""One forked child: it raises the last wall, reads its work from the socket, does it, and ends.

The child can only write frames. What kills it from outside leaves a trace: `faulthandler` writes the program's
line to the dump descriptor when the processor timer or the wall signal arrives, even inside a C function.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import resource
import select
import signal
import sys
import time
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from importlib import import_module
from typing import cast

from sandbox import frames
from sandbox.contract import Contract, Function, Parameter
from sandbox.frames import Frame
from sandbox.inside import lint
from sandbox.inside.calls import Wire
from sandbox.inside.compiling import PROGRAM_FILE
from sandbox.inside.runtime import Runtime
from sandbox.limits import Limits
from sandbox.walls_filter import Filter
from sandbox.work import Work, from_frame, to_frame

RECURSION_LIMIT = 2_000
STACK_BYTES = 120 * 2**20
"""What lies free below the stack of a process; as many steps as a program has do not nest anything deeper."""
PATIENCE = 2
"""Milliseconds for which a child waits for its work before it rehearses: where programs follow each other it does not."""
START_FRAME_LIMIT = 8 * 2**20
"""The first frame carries program and contract; it comes from the host and may be larger than the rest."""


Job = Callable[[Work, Runtime, Wire], None]


def main(connection: int, wall: Filter | None, runtime: Runtime, understudy: Runtime) -> None:
    """Do the work that arrives on the descriptor `connection`, then end the process. Without a `wall`, only limits hold.

    understudy: another runtime, to rehearse with.
    """
    if wall is not None:
        wall.close()
    if not _arrives(connection, PATIENCE):
        _rehearse(understudy)
    start = _receive(connection, START_FRAME_LIMIT)
    work = from_frame(start)
    _limit(work.limits)
    if wall is not None:
        wall.seal()
    limit = work.limits.frame_bytes
    before = time.process_time()

    def send(frame: Frame) -> None:
        if frame["type"] in ("finished", "failed"):
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            frame |= {"cpu_seconds": time.process_time() - before, "peak_bytes": peak}
        frames.send(connection, frame, limit)

    wire = Wire(send, lambda: _receive(connection, limit))
    runtime.begin(work, wire)
    JOBS[cast("str", start["type"])](work, runtime, wire)
    os._exit(0)


def confine(dump: int, runtime: Runtime) -> None:
    """What holds for every child, whatever its program; done in the zygote, from which it is inherited."""
    _be_killable(dump, runtime)
    sys.setrecursionlimit(RECURSION_LIMIT)
    _raise_stack()
    for which, value in ((resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_NOFILE, 16)):
        _lower(which, value)


def warm_up() -> None:
    """Do everything once that fills a cache, in the zygote, so that no child has to."""
    runtime = Runtime()
    work, sent = _rehearse(runtime)
    _check(work, runtime, Wire(sent.append, dict))
    assert sent[-2]["type"] == "finished", f"the language does not work: {sent}"
    for name in _NEEDED_LATER:
        import_module(name)
    for name in _ENCODINGS:
        "".encode(name)
    warnings.simplefilter("ignore")  # a program's invalid escape is no matter for anybody's standard error
    _measure_address_space()


_REHEARSAL = """
text = ask("question")
return text + "!"
"""


def _rehearse(runtime: Runtime) -> tuple[Work, list[Frame]]:
    """Run a program on nothing. A child that waits for its work does so too: what it shares with the zygote is copied page
    by page when it is first written to, which takes longer than a short program itself."""
    contract = Contract(
        (Function("ask", (Parameter("text", "text"),)),), {"task": {"question": ""}}, {"CallFailed": None}
    )
    first = frames.encode(to_frame("run", Work(_REHEARSAL, contract)), START_FRAME_LIMIT)
    work = from_frame(frames.decode(first[frames.HEADER.size :]))
    sent: list[Frame] = []
    replies: Iterator[Frame] = iter([{"type": "reply", "call": 1, "value": "x"}])
    runtime.begin(work, Wire(sent.append, lambda: next(replies)))
    runtime.run()
    return work, sent


def _arrives(connection: int, milliseconds: int) -> bool:
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(milliseconds))


def _receive(connection: int, limit: int) -> Frame:
    try:
        return frames.receive(connection, limit)
    except EOFError:
        os._exit(0)


def _be_killable(dump: int, runtime: Runtime) -> None:
    """Handle the two signals that end a program.

    SIGUSR1 says that the wall limit is over. While the program waits no stack shows its line: the runtime knows it.
    SIGPROF comes from the processor timer, and from outside when code stuck in C does not heed the other. It has the stack
    dumped, and then ends the process: by its default action, or by the wall, when faulthandler restores that.
    """

    def end(_: int, frame: types.FrameType | None) -> None:
        line = _program_line(frame) or runtime.waiting_line()
        if line is not None:
            os.write(dump, f'File "{PROGRAM_FILE}", line {line}\n'.encode())
        os._exit(0)

    signal.signal(signal.SIGUSR1, end)
    faulthandler.register(signal.SIGPROF, file=dump, all_threads=False, chain=True)


def _program_line(frame: types.FrameType | None) -> int | None:
    while frame is not None and frame.f_code.co_filename != PROGRAM_FILE:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else None


def _limit(limits: Limits) -> None:
    """The limits that the host sets for this program."""
    _lower(resource.RLIMIT_AS, _mapped[0] + limits.memory_bytes)
    _lower(resource.RLIMIT_CPU, int(limits.cpu_seconds) + 2)
    signal.setitimer(signal.ITIMER_PROF, limits.cpu_seconds)


def _raise_stack() -> None:
    """More room for C code that recurses without a count (the hash of a tuple in a tuple in a tuple): its end is SIGSEGV."""
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = STACK_BYTES if hard == resource.RLIM_INFINITY else min(STACK_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))


def _lower(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))


_NEEDED_LATER = (
    "unicodedata",
    "linecache",
    "tokenize",
    "heapq",
    "tracemalloc",
    "locale",
    "_strptime",
    "decimal",
    "stringprep",
)
"""Modules that the interpreter or the standard library import at the moment of need, which is too late behind the wall."""
_ENCODINGS = (
    "ascii", "latin-1", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-7",
    "cp1252", "cp437", "iso8859-15", "punycode", "idna", "unicode-escape", "raw-unicode-escape",
)  # fmt: skip

_mapped = [512 * 2**20]
"""Bytes that the zygote maps; what a child adds is limited. No child can read it for itself."""


def _measure_address_space() -> None:
    with contextlib.suppress(OSError), open("/proc/self/statm", encoding="ascii") as statm:
        _mapped[0] = int(statm.read().split()[0]) * resource.getpagesize()


def _check(work: Work, runtime: Runtime, wire: Wire) -> None:
    builtins = cast("Mapping[str, object]", runtime.globals["__builtins__"])
    known = {*runtime.globals, *builtins, "super"}
    found = lint.check(work.program, work.contract, work.limits, known, runtime.modules)
    wire.send({"type": "findings", "findings": [asdict(finding) for finding in found]})


JOBS: dict[str, Job] = {"run": lambda work, runtime, wire: runtime.run(), "check": _check}
"""What a child can be asked to do, by the type of the first frame."""
