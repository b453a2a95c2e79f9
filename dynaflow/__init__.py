"""DynaFlow: a main agent answers, or writes a program that a sandbox runs against a pool of sub-agents.

    result = anyio.run(lambda: solve(Task(question="..."), mode="dynamic", model="local"))

What is heavy is imported when it is first used, so that importing this package takes a moment only.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynaflow.events import Budget, Event
    from dynaflow.grants import GrantAsked
    from dynaflow.journal import Journal
    from dynaflow.policies import Policy
    from dynaflow.replaying import resume, rollback, whatif
    from dynaflow.solving import Result, check_program, run_program, solve, stream
    from dynaflow.task import Task

__all__ = [
    "Budget", "Event", "GrantAsked", "Journal", "Policy", "Result", "Task", "check_program", "resume", "rollback",
    "run_program", "solve", "stream", "whatif",
]  # fmt: skip

_HOME = {
    "Budget": "dynaflow.events",
    "GrantAsked": "dynaflow.grants",
    "Policy": "dynaflow.policies",
    "Event": "dynaflow.events",
    "Journal": "dynaflow.journal",
    "Task": "dynaflow.task",
    "resume": "dynaflow.replaying",
    "rollback": "dynaflow.replaying",
    "whatif": "dynaflow.replaying",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'dynaflow' has no attribute {name!r}")
    return getattr(import_module(_HOME.get(name, "dynaflow.solving")), name)
