"""The zygote: a warm process that forks one child per program.

Started as `python -s -P -S -B -c ... FD` with an environment that holds only PYTHONHASHSEED and TZ, and at fixed
addresses (`sandbox.layout`), so that every child has the same hash order and time zone. It imports everything a
program may need, raises the walls around itself, then waits on its control socket. Each request carries two
descriptors: the child's end of the program's socket, and the descriptor for dumps. The answer is the child's process
id; when a child ends, its status and use of resources follow. When the host goes away, the control socket reads
end-of-file, and the zygote kills what still runs and ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial

from sandbox import frames
from sandbox.inside import child
from sandbox.inside.runtime import Runtime
from sandbox.walls import die_with_parent, enclose

CONTROL_LIMIT = 65_536
Work = Callable[[], None]
"""What a child does, on its two descriptors."""
CONNECTION, DUMP = 3, 4
"""The descriptors of a child."""


def main(descriptor: int) -> None:
    """Serve fork requests on the control socket until the host closes it."""
    control = socket.socket(fileno=descriptor)
    child.warm_up()
    runtime, understudy = Runtime(), Runtime()
    gc.freeze()  # what is here already is never traversed in a child, so its pages stay shared
    enclosure = enclose(DUMP)
    work = partial(child.main, CONNECTION, enclosure.filter, runtime, understudy)
    wake = _wake_on_child_exit()
    child.confine(DUMP, runtime)
    children: set[int] = set()
    ready = {"type": "ready", "pid": os.getpid(), "level": enclosure.level, "missing": list(enclosure.missing)}
    frames.send(control.fileno(), ready, CONTROL_LIMIT)
    try:
        while True:
            readable, _, _ = select.select([control, wake], [], [])
            if wake in readable:
                wake.recv(4096)
                _reap(control, children)
            if control in readable and not _serve(control, children, work):
                return
    finally:
        for pid in children:
            _kill(pid, signal.SIGKILL)


def _wake_on_child_exit() -> socket.socket:
    reader, writer = socket.socketpair()
    reader.setblocking(False)
    writer.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    _KEPT.append(writer)
    return reader


_KEPT: list[socket.socket] = []
_SIGNALS = {"stop": signal.SIGUSR1, "dump": signal.SIGPROF, "kill": signal.SIGKILL}


def _serve(control: socket.socket, children: set[int], work: Work) -> bool:
    """Answer one request; False when the host has gone."""
    message, descriptors, _, _ = socket.recv_fds(control, frames.CONTROL_BYTES, 2)
    if len(message) < frames.CONTROL_BYTES:
        return False
    kind, number = message.decode("ascii").split()
    if kind == "fork":
        pid = _fork(descriptors, work)
        children.add(pid)
        frames.send(control.fileno(), {"type": "forked", "pid": pid, "ticket": int(number)}, CONTROL_LIMIT)
    elif kind in _SIGNALS and int(number) in children:
        _kill(int(number), _SIGNALS[kind])
    return True


def _fork(descriptors: list[int], work: Work) -> int:
    connection, dump = descriptors
    pid = os.fork()
    if pid == 0:
        _become_child(connection, dump, work)
    for descriptor in descriptors:
        os.close(descriptor)
    return pid


def _become_child(connection: int, dump: int, work: Work) -> None:
    """Keep the two descriptors, on the numbers 3 and 4, and nothing else; 0, 1 and 2 are /dev/null."""
    try:
        die_with_parent()
        signal.set_wakeup_fd(-1)
        high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10) for descriptor in (connection, dump)]
        os.dup2(1, 2)
        os.dup2(high[0], CONNECTION, inheritable=False)
        os.dup2(high[1], DUMP, inheritable=False)
        os.closerange(DUMP + 1, 400)
        work()
    except BaseException as error:  # noqa: BLE001 - whatever happens, a child never returns into the zygote's loop
        os.write(DUMP, f"crash: {type(error).__name__}: {error}".encode()[:2000])
        os._exit(70)
    finally:
        os._exit(71)


def _reap(control: socket.socket, children: set[int]) -> None:
    while children:
        try:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        children.discard(pid)
        frames.send(
            control.fileno(),
            {
                "type": "ended",
                "pid": pid,
                "code": os.waitstatus_to_exitcode(status),
                "cpu_seconds": usage.ru_utime + usage.ru_stime,
                "peak_bytes": usage.ru_maxrss * 1024,
            },
            CONTROL_LIMIT,
        )


def _kill(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


if __name__ == "__main__":
    main(int(sys.argv[1]))
