"""What the package exports, pinned: a change here is a change for users."""

from __future__ import annotations

import dynaflow
import sandbox


def test_dynaflow() -> None:
    names = [
        "Budget", "Event", "GrantAsked", "Journal", "Policy", "Result", "Task", "check_program", "resume", "rollback",
        "run_program", "solve", "stream", "whatif",
    ]  # fmt: skip
    assert dynaflow.__all__ == names
    assert all(getattr(dynaflow, name) is not None for name in names)


def test_sandbox() -> None:
    assert all(getattr(sandbox, name) is not None for name in sandbox.__all__)
