"""How much of everything a program may use. A frozen record; the defaults suit a workflow of a few dozen calls."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox.errors import LimitExceeded


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one program. Exceeding one ends the program with `LimitExceeded`; it cannot be caught."""

    source_chars: int = 64_000
    """Characters of the program's text."""
    ast_depth: int = 100
    """Depth of the syntax tree."""
    cpu_seconds: float = 2.0
    """Processor seconds, user and system."""
    memory_bytes: int = 256 * 2**20
    """Address space that the program may add to what the runtime itself maps."""
    steps: int = 1_000_000
    """Loop rounds plus function calls."""
    wall_seconds: float = 600.0
    """Seconds from start to end, waiting for calls included."""
    outstanding_calls: int = 4_096
    """Calls registered and not yet replied to."""
    instruction_bytes: int = 64 * 1024
    """UTF-8 bytes of one text argument."""
    reply_bytes: int = 256 * 1024
    """UTF-8 bytes of one reply; a longer text is cut with a mark."""
    frame_bytes: int = 1024 * 1024
    """Bytes of one frame between child and host."""
    result_bytes: int = 256 * 1024
    """UTF-8 bytes of the program's value as JSON."""
    result_depth: int = 32
    """Nesting of the program's value."""
    printed_kept: int = 20_000
    """Characters of printed text that are kept."""
    printed_chars: int = 200_000
    """Characters of printed text that end the program."""


def too_long(program: str, limits: Limits) -> LimitExceeded | None:
    """The error of a program whose text is too long: such a program is not even sent to a child."""
    if len(program) <= limits.source_chars:
        return None
    message = f"the program has {len(program)} characters; at most {limits.source_chars} are allowed"
    return LimitExceeded(message, limit="source", value=limits.source_chars)
