"""A zygote whose children run raw Python: what a program could do that had got past the language layer.

It differs from the real one in the job alone: the walls, the limits and the socket are the same. A payload finds `fd`, the
number of its socket, and `rpc`, which writes frames.
"""

from __future__ import annotations

import ctypes  # noqa: F401 - imported here because a payload cannot import them any more
import mmap  # noqa: F401
import resource  # noqa: F401
import subprocess  # noqa: F401
import threading  # noqa: F401

from sandbox import zygote
from sandbox.inside import child
from sandbox.inside.calls import Wire
from sandbox.inside.compiling import PROGRAM_FILE
from sandbox.inside.runtime import Runtime
from sandbox.work import Work


class Rpc:
    """Writes frames as a payload words them: a call as `{"t": "call", "id": ...}`, others as they are."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def write(self, frame: dict[str, object]) -> None:
        if frame.get("t") != "call":
            self._wire.send(frame)
            return
        number = frame["id"] + 1 if isinstance(frame["id"], int) else frame["id"]
        request = {
            "call": number, "function": "ask", "arguments": {"agent": frame["agent"], "instruction": frame["prompt"]},
            "branch": "0", "line": frame["line"], "sources": [],
        }  # fmt: skip
        self._wire.send({"type": "calls", "requests": [request], "withdrawn": [], "deadlines": []})


def run_raw(work: Work, runtime: Runtime, wire: Wire) -> None:
    names: dict[str, object] = {"fd": zygote.CONNECTION, "rpc": Rpc(wire)}
    try:
        exec(compile(work.program, PROGRAM_FILE, "exec"), names)
        value = str(names.get("result"))
    except BaseException as error:  # noqa: BLE001 - a payload may raise anything
        value = f"contained {type(error).__name__}: {error}"
    wire.send({"type": "finished", "value": value, "steps": 0})


def main(descriptor: int) -> None:
    child.JOBS["run"] = run_raw
    zygote.main(descriptor)
