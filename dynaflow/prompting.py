"""The first messages of a run: who the main agent is, which sub-agents there are, how a program is written, the task.

There are two forms of the same prompt. The compact one fits a small model with a window of 4,096 tokens: clear roles, few
rules, and one finished program for each kind of task right before the task, so that the model has only to go on with the
list. (A small model that is told how to write a program solves the task in it, or defines the agents itself; one that
goes on with a list takes the program of the right kind.) The full form is the one-page reference of the workflow language.
In `direct` mode neither programs nor sub-agents are mentioned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from dynaflow.events import AgentRecord, Budget, Mode
from dynaflow.task import Task
from dynaflow.templates import render
from subagents.messages import Message

PromptForm = Literal["compact", "full"]

_FULL_FROM_TOKENS = 16_384
_CONTEXT_SHOWN: dict[PromptForm, int] = {"compact": 3_000, "full": 60_000}
"""Characters of the task's context that are shown; a program always has all of it."""


def choose_form(context_tokens: int | None) -> PromptForm:
    """The form of the prompt for a model with a window of this size; a window of unknown size is taken for a large one."""
    return "compact" if context_tokens is not None and context_tokens < _FULL_FROM_TOKENS else "full"


def render_messages(
    task: Task, mode: Mode, agents: Sequence[AgentRecord], *, form: PromptForm, tools: bool, budget: Budget
) -> tuple[Message, ...]:
    """The system message and the first user message of a run.

    tools: whether the endpoint is given the tool `run_workflow`; else the program is asked for as a fenced block.
    """
    template = "direct" if mode == "direct" else form
    system = render(template, mode=mode, agents=agents, tools=tools, budget=budget)
    return (
        Message(role="system", content=system),
        Message(role="user", content=_render_task(task, mode, form, agents, tools=tools)),
    )


def _render_task(task: Task, mode: Mode, form: PromptForm, agents: Sequence[AgentRecord], *, tools: bool) -> str:
    shown = task.context if mode == "direct" else task.context[: _CONTEXT_SHOWN[form]]
    left_out = len(task.context) - len(shown)
    return render(
        "compact_task" if form == "compact" and mode != "direct" else "task",
        task=task,
        mode=mode,
        agents=agents,
        tools=tools,
        context=shown,
        context_left_out=left_out,
    )
