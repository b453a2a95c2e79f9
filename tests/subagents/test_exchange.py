"""How an exchange is put to a model."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from subagents import Exchange, SubAgent
from subagents.exchange import opening

AGENT = SubAgent(name="a", description="d", instructions=" Be brief.\n")


def user(instruction: str = "Do it.", inputs: JsonValue = None, wanted: str = "") -> str:
    return opening(AGENT, Exchange(instruction=instruction, inputs=inputs), wanted)[-1].content


def test_instructions_are_the_system_message_if_there_are_any() -> None:
    assert [(m.role, m.content) for m in opening(AGENT, Exchange(instruction=" Do it. "))] == [
        ("system", "Be brief."),
        ("user", "Do it."),
    ]
    bare = AGENT.model_copy(update={"instructions": ""})
    assert [m.role for m in opening(bare, Exchange(instruction="Do it."))] == ["user"]


def test_inputs_are_labelled_sections_before_the_instruction() -> None:
    inputs: JsonValue = {"question": " Why? ", "facts": ["one", {"id": 2}], "sure": True, "none": None}
    assert user(inputs=inputs, wanted="Reply with JSON.") == (
        "## question\nWhy?\n\n"
        '## facts\n1. one\n2. {\n  "id": 2\n}\n\n'
        "## sure\ntrue\n\n## none\nnull\n\nDo it.\n\nReply with JSON."
    )


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        (None, "Do it."),
        ({}, "Do it."),
        ([], "Do it."),
        ("a fact", "## inputs\na fact\n\nDo it."),
        (["é", "b"], "## inputs\n1. é\n2. b\n\nDo it."),
        ({"n": {"a": [1]}}, '## n\n{\n  "a": [\n    1\n  ]\n}\n\nDo it.'),
        ({"n": []}, "## n\n[]\n\nDo it."),
        (0, "## inputs\n0\n\nDo it."),
        (False, "## inputs\nfalse\n\nDo it."),
    ],
)
def test_inputs_of_every_kind(inputs: JsonValue, text: str) -> None:
    assert user(inputs=inputs) == text
