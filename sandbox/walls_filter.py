"""The filter that stands between a program and the kernel: which system calls a child may still make.

It is an allow-list, written as classic BPF and installed by seccomp in two steps. `Filter.close` is the wall itself,
raised before a child has read anything. The few calls by which a child waits for its work, and sets the limits that
this names, stay open until it has been read; `Filter.seal` then closes them, before the program is parsed.

Calls on files answer EACCES, because the interpreter asks for files at odd times and goes on without them. Every other call
that is not on the list ends the process. It ends through a handler of a few machine instructions (SECCOMP_RET_TRAP:
the call itself is never made), which writes the kernel's record of the call to the dump descriptor and then makes a call
that the filter answers with SECCOMP_RET_KILL_PROCESS. The handler only tells; were it circumvented, every call
would still be refused. Where its memory cannot be made executable, the filter kills at once and the number is unknown.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys
from dataclasses import dataclass

from sandbox.walls_calls import NUMBERS, X32_BIT

ALLOWED = (
    "read", "write", "close", "brk", "munmap", "mremap", "madvise", "futex", "rt_sigreturn",
    "restart_syscall", "getrandom", "clock_gettime", "gettimeofday", "time", "getrusage", "sched_yield",
    "exit", "exit_group",
)  # fmt: skip
"""What the runtime needs once everything is imported."""
NO_EXECUTION = ("mmap", "mprotect")
"""Allowed as long as the memory is not to be executable."""
FILES = (
    "open", "openat", "openat2", "stat", "lstat", "fstat", "newfstatat", "statx", "access", "faccessat", "faccessat2",
    "readlink", "readlinkat", "getcwd", "getdents64", "lseek", "ioctl", "fcntl", "pread64", "chdir",
)  # fmt: skip
"""Answered with EACCES."""
UNTIL_SEALED = ("prlimit64", "setrlimit", "setitimer", "seccomp", "poll", "ppoll")
"""Open between `close` and `seal`."""

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

_KILL, _TRAP, _ALLOW = 0x80000000, 0x00030000, 0x7FFF0000
_REFUSE_FILE = 0x00050000 | 13  # EACCES
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENT_0, _ARGUMENT_2 = 0, 4, 16, 32  # offsets in struct seccomp_data, little-endian
_PROT_EXEC = 4
_SET_FILTER, _ACTION_AVAILABLE = 1, 2

_Instruction = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Filter:
    """The two programs, ready to be installed."""

    wall: bytes
    seal_: bytes
    seccomp: int

    def close(self) -> None:
        """Leave the calling process with what the list allows, and with what it needs until its limits are set."""
        _install(self.wall, self.seccomp)

    def seal(self) -> None:
        """Take those away too."""
        _install(self.seal_, self.seccomp)


def make_filter(dump: int) -> Filter | str:
    """The filter for this machine, and its handler put in place; or why there can be none.

    Refused calls are recorded on the descriptor `dump`. To be called once, in the zygote; children inherit it.
    """
    machine = os.uname().machine
    if sys.platform != "linux" or machine not in NUMBERS or sys.maxsize < 2**32:
        return f"no table of system calls for {sys.platform} on {machine}: use Linux on x86-64 or aarch64 (64 bit)"
    numbers = NUMBERS[machine]
    for action, what in ((_KILL, "SECCOMP_RET_KILL_PROCESS"), (_TRAP, "SECCOMP_RET_TRAP")):
        if _LIBC.syscall(numbers["seccomp"], _ACTION_AVAILABLE, 0, ctypes.byref(ctypes.c_uint32(action))) != 0:
            return f"the kernel has no {what} ({_reason()}): Linux 4.14 or newer with CONFIG_SECCOMP_FILTER is needed"
    refuse = _TRAP if _put_handler(machine, dump) else _KILL
    wall, seal = _wall(numbers, _ARCHITECTURES[machine], refuse), _seal(numbers, refuse)
    return Filter(_packed(wall), _packed(seal), numbers["seccomp"])


def refused_call(dump: bytes) -> int | None:
    """The number of the call that the handler recorded on the dump descriptor, if it did."""
    start = dump.rfind(_RECORD_HEAD)
    if start < 0 or len(dump) < start + _RECORD.size:
        return None
    number: int = _RECORD.unpack_from(dump, start)[5]
    return number


_RECORD = struct.Struct("<iiiiQiI")  # the head of siginfo_t: signal, errno, code, padding, address, call, architecture
_RECORD_HEAD = struct.pack("<iii", 31, 0, 1)  # SIGSYS, no errno, SYS_SECCOMP


def _wall(numbers: dict[str, int], architecture: int, refuse: int) -> list[_Instruction]:
    program: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        *_on_number(X32_BIT, [(_RETURN, 0, 0, _KILL)]),  # the handler's last call
        (_AT_LEAST, 0, 1, X32_BIT),
        (_RETURN, 0, 0, refuse),
    ]
    for name in (*ALLOWED, *UNTIL_SEALED):
        program += _when(numbers, name, [(_RETURN, 0, 0, _ALLOW)])
    no_execution = [
        (_LOAD, 0, 0, _ARGUMENT_2),
        (_ANY_BIT, 0, 1, _PROT_EXEC),
        (_RETURN, 0, 0, _REFUSE_FILE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    for name in NO_EXECUTION:
        program += _when(numbers, name, no_execution)
    for name in FILES:
        program += _when(numbers, name, [(_RETURN, 0, 0, _REFUSE_FILE)])
    # faulthandler restores what it found when it has dumped the stack for a limit. That ends the process, without a record.
    limit_signal = [
        (_LOAD, 0, 0, _ARGUMENT_0),
        (_EQUAL, 0, 1, signal.SIGPROF),
        (_RETURN, 0, 0, _KILL),
        (_RETURN, 0, 0, refuse),
    ]
    return [*program, *_when(numbers, "rt_sigaction", limit_signal), (_RETURN, 0, 0, refuse)]


def _seal(numbers: dict[str, int], refuse: int) -> list[_Instruction]:
    program: list[_Instruction] = [(_LOAD, 0, 0, _NUMBER)]
    for name in UNTIL_SEALED:
        program += _when(numbers, name, [(_RETURN, 0, 0, refuse)])
    return [*program, (_RETURN, 0, 0, _ALLOW)]


def _when(numbers: dict[str, int], name: str, then: list[_Instruction]) -> list[_Instruction]:
    """What to do with one call; nothing if this processor does not have it. `then` must end in a return."""
    return _on_number(numbers[name], then) if name in numbers else []


def _on_number(number: int, then: list[_Instruction]) -> list[_Instruction]:
    return [(_EQUAL, 0, len(then), number), *then]


def _packed(program: list[_Instruction]) -> bytes:
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


class _SignalAction(ctypes.Structure):
    """`struct sigaction` of the C library; glibc and musl agree on both processors."""

    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_byte * 128),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.mmap.restype = ctypes.c_void_p
_LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_SA_SIGINFO = 4


def _install(instructions: bytes, seccomp: int) -> None:
    program = _Program(len(instructions) // 8, instructions)
    if _LIBC.syscall(seccomp, _SET_FILTER, 0, ctypes.byref(program)) != 0:
        raise OSError(ctypes.get_errno(), f"seccomp refused the filter: {_reason()}")


def _put_handler(machine: str, dump: int) -> bool:
    """Have SIGSYS handled by instructions of our own; False if their memory may not be executed."""
    code = _handler_code(machine, dump)
    address = _LIBC.mmap(None, 4096, 3, 0x22, -1, 0)  # readable and writable, private and anonymous
    if address in (None, ctypes.c_void_p(-1).value):
        return False
    ctypes.memmove(address, code, len(code))
    if _LIBC.mprotect(address, 4096, 5) != 0:  # readable and executable
        return False
    action = _SignalAction(handler=address, flags=_SA_SIGINFO)
    return bool(_LIBC.sigaction(int(signal.SIGSYS), ctypes.byref(action), None) == 0)


def _handler_code(machine: str, dump: int) -> bytes:
    """`write(dump, siginfo, 32)`, then a call that the filter kills for. The second argument is where it must be already."""
    if machine == "x86_64":
        return b"".join((
            b"\xbf", struct.pack("<I", dump),  # mov edi, dump
            b"\xba", struct.pack("<I", _RECORD.size),  # mov edx, 32
            b"\xb8", struct.pack("<I", NUMBERS[machine]["write"]), b"\x0f\x05",  # mov eax, write; syscall
            b"\xb8", struct.pack("<I", X32_BIT), b"\x0f\x05",  # mov eax, 0x40000000; syscall
            b"\xf4",  # hlt
        ))  # fmt: skip
    move = 0x52800000  # movz w<register>, #<number>
    return struct.pack(
        "<7I", move | dump << 5, move | _RECORD.size << 5 | 2, move | NUMBERS[machine]["write"] << 5 | 8, 0xD4000001,
        0x52A00000 | 0x4000 << 5 | 8, 0xD4000001, 0xD4200000,
    )  # fmt: skip


def _reason() -> str:
    return os.strerror(ctypes.get_errno())
