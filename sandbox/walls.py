"""The walls around a zygote and its children: no privileges, namespaces of their own, no files, few system calls.

`enclose` is called once in the zygote, when everything is imported; what it does holds for every child. Each wall is raised if
this system lets us, and one that cannot be raised is said, in words that tell how to get it: the engine compares
the level that is reached with the one that is demanded. `sandbox.walls_filter` holds the last wall, which each child
raises itself. All of it is done through the C library, so nothing needs to be installed.

A process that asks for a new process namespace does not enter it, only its children do. So the zygote forks: the parent
waits as the zygote's keeper, which the host sees; its child is process 1 of the namespace and lives on as the zygote. When
either ends, the kernel kills all that is below.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import struct
import sys
from dataclasses import dataclass

from sandbox.protocol import Level
from sandbox.walls_calls import NUMBERS
from sandbox.walls_filter import Filter, make_filter

NOBODY = 65534
"""The user and group that a zygote of root becomes."""

_USER = 0x10000000
_NAMESPACES = {"net": 0x40000000, "pid": 0x20000000, "ipc": 0x08000000, "mount": 0x00020000, "uts": 0x04000000}
_SET_PARENT_DEATH_SIGNAL, _SET_DUMPABLE, _SET_NO_NEW_PRIVILEGES = 1, 4, 38
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


@dataclass(frozen=True, slots=True)
class Enclosure:
    """What was reached: the level, what is missing for a higher one, and the filter that each child has to raise."""

    level: Level
    missing: tuple[str, ...]
    filter: Filter | None


def enclose(dump: int) -> Enclosure:
    """Raise every wall that holds for the zygote and its children. Returns in the process that is to go on.

    `dump` is the descriptor on which a child will have its refused calls recorded.
    """
    if _LIBC is None:
        return Enclosure(1, (f"{sys.platform} has no seccomp filter, Landlock or namespaces: use Linux",), None)
    die_with_parent()
    missing = [*_enter_namespaces(), *_give_up_privileges(), *_refuse_files()]
    made = make_filter(dump)
    if isinstance(made, str):
        return Enclosure(1, (made, *missing), None)
    trouble = _try_out(made)
    if trouble:
        return Enclosure(1, (trouble, *missing), None)
    return Enclosure(2 if missing else 3, tuple(missing), made)


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends, however that comes: when the thread that started it does."""
    if _LIBC is not None:
        _LIBC.prctl(_SET_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)


def _enter_namespaces() -> list[str]:
    """Become nobody in new namespaces; gives what is missing. Root needs no user namespace for the others."""
    flags = sum(_NAMESPACES.values())
    as_root = os.geteuid() == 0 and _unshare(flags) is None
    _become_nobody()
    failed = {} if _unshare(_USER | (0 if as_root else flags)) is None or as_root else _enter_one_by_one()
    if "pid" not in failed:
        _become_first_process()
    if not failed:
        return []
    reasons = ", ".join(f"{name} ({reason})" for name, reason in failed.items())
    return [
        f"no new namespace for {reasons}: allow unshare in the container's seccomp profile, and user namespaces for all users "
        "(sysctl user.max_user_namespaces above 0, kernel.apparmor_restrict_unprivileged_userns=0)"
    ]


def _enter_one_by_one() -> dict[str, str]:
    _unshare(_USER)
    tried = {name: _unshare(flag) for name, flag in _NAMESPACES.items()}
    return {name: reason for name, reason in tried.items() if reason is not None}


def _unshare(flags: int) -> str | None:
    """None, or why it failed."""
    return None if _libc().unshare(flags) == 0 else os.strerror(ctypes.get_errno())


def _become_nobody() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        die_with_parent()  # the kernel forgets it when the user changes


def _become_first_process() -> None:
    """Go on in a child, which is process 1 of the new namespace; the parent waits for its end."""
    child = os.fork()
    if child == 0:
        die_with_parent()
        return
    os.closerange(3, 400)
    _give_up_privileges()
    _, status = os.waitpid(child, 0)
    os._exit(0 if status == 0 else 1)


def _give_up_privileges() -> list[str]:
    """No capabilities, no way to gain any, and nobody looks into this process."""
    numbers = NUMBERS.get(os.uname().machine)
    if numbers is not None:  # in a new user namespace a process has every capability over that namespace
        _libc().syscall(numbers["capset"], struct.pack("<Ii", 0x20080522, 0), bytes(24))
    _libc().prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    if _libc().prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return [f"no_new_privs is refused ({os.strerror(ctypes.get_errno())}): Linux 3.5 or newer is needed"]
    return []


def _refuse_files() -> list[str]:
    """Landlock: handle every right that this kernel knows, and grant none."""
    libc = _libc()
    numbers = NUMBERS.get(os.uname().machine, {})
    create, restrict = numbers.get("landlock_create_ruleset", -1), numbers.get("landlock_restrict_self", -1)
    abi = libc.syscall(create, None, 0, 1)
    if abi >= 1:
        rights = {1: 13, 2: 14, 3: 15, 4: 15}.get(abi, 16)
        attributes = struct.pack("<QQQ", (1 << rights) - 1, 3, 3)  # files; TCP; abstract sockets and signals
        size = 8 if abi < 4 else 16 if abi < 6 else 24
        ruleset = libc.syscall(create, attributes[:size], size, 0)
        if ruleset >= 0:
            done = libc.syscall(restrict, ruleset, 0)
            os.close(ruleset)
            if done == 0:
                return []
    reason = os.strerror(ctypes.get_errno())
    return [f"no Landlock ({reason}): Linux 5.13 or newer with landlock among its security modules (lsm=) is needed"]


def _try_out(made: Filter) -> str | None:
    """Raise the filter in a throw-away child; gives what went wrong."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            made.close()
            made.seal()
            try:
                os.stat("/")
            except PermissionError:
                os._exit(0)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    return f"the seccomp filter does not hold (status {status}): allow seccomp for this process" if status else None


def _libc() -> ctypes.CDLL:
    assert _LIBC is not None
    return _LIBC
