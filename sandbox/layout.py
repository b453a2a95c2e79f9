"""Has the interpreter start over without address space randomisation, so that addresses are the same in every zygote.

What has no other hash than its address (functions, classes, None before Python 3.12) then stands in the same place in a
set of any zygote, as a replay needs. It hides nothing that the walls rely on: whoever can use an address is past the
language already. A system that refuses it (some containers do) only has such sets in another order.
"""

from __future__ import annotations

import ctypes
import os
import sys

_NO_RANDOMISATION = 0x0040000
_ASK = 0xFFFFFFFF


def fix_layout() -> None:
    """Start this process over at fixed addresses; returns if it has them, or cannot have them. Call it first of all."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    now = libc.personality(_ASK)
    if now < 0 or now & _NO_RANDOMISATION or libc.personality(now | _NO_RANDOMISATION) < 0:
        return
    if libc.personality(_ASK) & _NO_RANDOMISATION:  # else it would start over for ever
        os.execv(sys.executable, sys.orig_argv)  # noqa: S606 - what the host started, once more
