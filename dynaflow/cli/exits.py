"""How a command ends: its exit code, and the one message of an error that was to be expected.

0    answered (degraded too, with a warning)
1    no answer, or findings
2    bad input or set-up
3    failed for an infrastructure cause
130  interrupted; what had happened of the run is kept
"""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynaflow.events import Status

ANSWERED = 0
NO_ANSWER = 1
BAD_INPUT = 2
FAILED = 3
INTERRUPTED = 130

OF_STATUS: dict[Status, int] = {
    "answered": ANSWERED,
    "degraded": ANSWERED,
    "no_answer": NO_ANSWER,
    "failed": FAILED,
    "interrupted": INTERRUPTED,
}
"""The exit code of each status of a run."""


def note(text: str) -> None:
    """Write one line to standard error; whatever the text holds, it cannot act on the terminal."""
    from dynaflow.wording import visible

    sys.stderr.write(visible(text).rstrip() + "\n")


def guarded(command: Callable[[], None]) -> int:
    """Run a command line and give its exit code; an expected error becomes one message."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        command()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else ANSWERED
    except Exception as error:  # noqa: BLE001 - the outermost frame: nothing may end in another way
        return _explained(error)
    return ANSWERED


def _explained(error: Exception) -> int:
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    code = _code(error)
    if code is None:
        traceback.print_exception(error)
        note("error: this is a fault of DynaFlow's own, please report it with the lines above")
        return FAILED
    note(f"error: {error}")
    return code


def _code(error: Exception) -> int | None:
    """The exit code of an expected error, None for any other."""
    from dynaflow.errors import DynaFlowError
    from sandbox.errors import OperatorError, SandboxUnavailable
    from subagents.errors import CallFailed, SubAgentError

    if isinstance(error, OperatorError | CallFailed) and not isinstance(error, SandboxUnavailable):
        return FAILED
    if isinstance(error, DynaFlowError | SandboxUnavailable | SubAgentError):
        return BAD_INPUT
    return None
