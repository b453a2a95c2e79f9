"""The first messages of a run: what each mode and form says, and how much."""

from __future__ import annotations

import ast
import re
from typing import get_args

import pytest

from dynaflow.events import AgentRecord, Budget, Mode
from dynaflow.feedback import estimate_tokens
from dynaflow.language import contract_for
from dynaflow.parsing import RunProgram, parse_message
from dynaflow.prompting import PromptForm, choose_form, render_messages
from dynaflow.task import Task
from sandbox import open_sandbox
from subagents.messages import Message

pytestmark = pytest.mark.anyio

TASK = Task(question="How many {{ pens }} are left?", answer_format="a number", gold="SECRET")
NAMES = ["solver", "decomposer", "searcher", "reader", "coder", "verifier", "critic", "synthesizer"]
AGENTS = [AgentRecord(name=name, description=f"does what a {name} does, in one line", model=None) for name in NAMES]
MODES: tuple[Mode, ...] = get_args(Mode)
FORMS: tuple[PromptForm, ...] = get_args(PromptForm)


def messages(
    mode: Mode, form: PromptForm = "compact", *, task: Task = TASK, tools: bool = False, budget: Budget | None = None
) -> tuple[Message, ...]:
    return render_messages(task, mode, AGENTS, form=form, tools=tools, budget=budget or Budget())


def text_of(mode: Mode, form: PromptForm, *, task: Task = TASK, tools: bool = False) -> str:
    return "\n".join(message.content for message in messages(mode, form, task=task, tools=tools))


def blocks(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)\n```", text, re.S)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mode", MODES)
def test_a_system_and_a_user_message_with_the_task_as_it_is_and_without_its_gold_answer(
    mode: Mode, form: PromptForm
) -> None:
    system, user = messages(mode, form)
    assert (system.role, user.role) == ("system", "user")
    assert user.content.count(f"<task>\n{TASK.question}\nAnswer format: a number\n</task>") == 1
    assert "SECRET" not in system.content + user.content


@pytest.mark.parametrize("form", FORMS)
def test_direct_mode_speaks_of_neither_programs_nor_agents(form: PromptForm) -> None:
    text = text_of("direct", form)
    assert "<answer>" in text
    assert not re.search("program|agent|ask\\(|python", text, re.I)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mode", ["dynamic", "forced"])
def test_every_agent_is_named_with_its_description(mode: Mode, form: PromptForm) -> None:
    system = messages(mode, form)[0].content
    assert all(f"- {agent.name}: {agent.description}\n" in system for agent in AGENTS)


@pytest.mark.parametrize("form", FORMS)
def test_only_the_dynamic_mode_offers_to_answer_at_once(form: PromptForm) -> None:
    assert "answer" in messages("dynamic", form)[0].content.split("\n")[0]
    assert not re.search("answer it yourself|you can answer", text_of("forced", form))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mode", ["dynamic", "forced"])
def test_the_tool_is_named_only_where_there_is_one(mode: Mode, form: PromptForm) -> None:
    assert "run_workflow" in text_of(mode, form, tools=True)
    assert "run_workflow" not in text_of(mode, form, tools=False)


@pytest.mark.parametrize("mode", ["dynamic", "forced"])
def test_the_compact_form_leaves_a_window_of_4096_tokens_for_the_work(mode: Mode) -> None:
    assert sum(estimate_tokens(message.content) for message in messages(mode)) < 1150


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mode", ["dynamic", "forced"])
@pytest.mark.parametrize("context", ["", "A shop has 12 pens."])
async def test_the_example_programs_pass_the_check_and_use_the_task(mode: Mode, form: PromptForm, context: str) -> None:
    task = TASK.model_copy(update={"context": context})
    programs = blocks(text_of(mode, form, task=task))
    assert len(programs) >= 2
    async with open_sandbox() as sandbox:
        for program in programs:
            assert await sandbox.check(program, contract_for(task, NAMES)) == []
            assert "task.question" in program
            assert isinstance(ast.parse(program).body[-1], ast.Return)
            assert parse_message(f"```python\n{program}\n```") == RunProgram(program, "fence")


def test_compact_examples_hand_a_context_on_where_there_is_one() -> None:
    with_context = text_of("forced", "compact", task=TASK.model_copy(update={"context": "12 pens"}))
    assert with_context.count('"context": task.context') > 3
    assert all("task.context" not in program for program in blocks(text_of("forced", "compact")))


def test_compact_examples_look_up_only_where_there_is_a_searcher_or_a_context() -> None:
    agents = [agent for agent in AGENTS if agent.name != "searcher"]
    user = render_messages(TASK, "forced", agents, form="compact", tools=False, budget=Budget())[1].content
    assert "two kinds" in user
    assert len(blocks(user)) == 2
    assert "searcher" not in user


@pytest.mark.parametrize("form", FORMS)
def test_a_long_context_is_cut_with_a_mark_where_a_program_can_have_all_of_it(form: PromptForm) -> None:
    task = TASK.model_copy(update={"context": "0123456789" * 10_000})
    shown = re.search(r"<context>\n(\d+)\n\[([\d,]+) more characters", messages("forced", form, task=task)[1].content)
    assert shown is not None
    assert len(shown[1]) + int(shown[2].replace(",", "")) == 100_000
    assert task.context in messages("direct", form, task=task)[1].content


def test_limits_of_the_budget_are_named_in_the_full_form_where_there_are_any() -> None:
    limited = messages("dynamic", "full", budget=Budget(turns=3, calls=10, tokens=50_000, seconds=90))[0].content
    assert limited.endswith("Budget: 3 turns, 10 calls, 50,000 tokens, 90 seconds.")
    free = messages("dynamic", "full", budget=Budget(turns=1, calls=None, tokens=None, seconds=None))[0].content
    assert free.endswith("Budget: 1 turn.")


def test_the_form_follows_from_the_window() -> None:
    assert [choose_form(tokens) for tokens in (2_048, 4_096, 8_192)] == ["compact"] * 3
    assert [choose_form(tokens) for tokens in (32_768, 1_000_000, None)] == ["full"] * 3
