"""Asks the user whether a program may run, and whether it is granted what the policy holds back (`--approve`)."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio

from dynaflow.trace import code
from dynaflow.wording import visible

if TYPE_CHECKING:
    from dynaflow.grants import GrantAsked
    from dynaflow.live import LiveView


async def ask_approval(view: LiveView, program: str) -> bool:
    """Show the program, unless the view just has, and wait for the answer; only a clear yes is one."""
    if not view.quiet:
        await _until_shown(view, program)
    with view.paused() as console:
        if view.program != program:
            console.print(code(program))
        console.print("Run this program? [y/N] ", end="", markup=False)
        answer = await _line()
    return answer.strip().lower() in ("y", "yes")


async def ask_grant(view: LiveView, asked: GrantAsked) -> bool:
    """Ask whether something that the policy holds back is granted to the run; only a clear yes is one."""
    with view.paused() as console:
        console.print(f"Held back by the policy of this run: {visible(asked.reason)}", markup=False)
        console.print(f"Grant {asked.kind} {visible(asked.name)!r} to this run? [y/N] ", end="", markup=False)
        answer = await _line()
    return answer.strip().lower() in ("y", "yes")


async def _until_shown(view: LiveView, program: str) -> None:
    """The view hears of events a moment after the run: let it come to this program before it is asked about."""
    with anyio.move_on_after(1.0):
        while view.program != program:  # noqa: ASYNC110 - what the view shows it tells nobody
            await anyio.sleep(0.01)


async def _line() -> str:
    """A line of standard input. Waits on the event loop, so that Ctrl-C is heard, and takes no byte too many."""
    with suppress(PermissionError):  # a plain file cannot be waited for, and need not be
        await anyio.wait_readable(sys.stdin.fileno())
    line = b""
    while (byte := os.read(sys.stdin.fileno(), 1)) not in (b"", b"\n"):
        line += byte
    return line.decode(errors="replace")
