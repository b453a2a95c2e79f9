"""The contract that programs are written against: `ask`, `share`, `recall`, the task, and the names of failures."""

from __future__ import annotations

from collections.abc import Sequence

from dynaflow.task import Task
from sandbox import Contract, Function, Parameter

FAILURES: dict[str, str | None] = {
    "CallFailed": None,
    "CallTimeout": "CallFailed",
    "SchemaMismatch": "CallFailed",
    "EmptyReply": "CallFailed",
    "ContextOverflow": "CallFailed",
    "AgentUnavailable": "CallFailed",
    "NotGranted": "CallFailed",
    "RepeatedCall": "CallFailed",
    "BudgetExceeded": None,
    "UnknownAgent": None,
    "VersionConflict": None,
}
"""Exceptions that a program can catch -> the parent of each."""


def contract_for(
    task: Task, agents: Sequence[str], *, withheld: Sequence[str] = (), modules: tuple[str, ...] | None = None
) -> Contract:
    """What a workflow for `task` may call and see, with `agents` as the choices of `ask`.

    withheld: agents that may be granted when they are asked for. modules: that may be imported; None is all.
    """
    ask = Function(
        "ask",
        (
            Parameter("agent", "choice", choices=tuple(agents), withheld=tuple(withheld)),
            Parameter("instruction", "text"),
            Parameter("inputs", "json", required=False, keyword_only=True),
            Parameter("returns", "shape", required=False, keyword_only=True),
            Parameter("label", "text", required=False, keyword_only=True),
        ),
    )
    expected = Parameter("expected", "json", required=False, keyword_only=True)
    share = Function("share", (Parameter("id", "text"), Parameter("value", "json"), expected), gives="value")
    version = Parameter("version", "json", required=False, keyword_only=True)
    recall = Function("recall", (Parameter("id", "text"), version), gives="value")
    shown = {"question": task.question, "context": task.context, "answer_format": task.answer_format}
    return Contract(
        (ask, share, recall), {"task": shown}, FAILURES, unknown_choice="UnknownAgent", upstream="CallFailed",
        modules=modules,
    )  # fmt: skip
