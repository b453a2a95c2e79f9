"""What messages mean: a table of real and malformed ones, and properties of all."""

from __future__ import annotations

import ast
import json
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dynaflow.parsing import Action, GiveAnswer, RunProgram, Unusable, parse_message
from dynaflow.program_text import mend_program
from subagents.messages import ToolRequest

PROGRAM = (
    'drafts = [ask("solver", task.question) for _ in range(3)]\nif not drafts:\n    print("none")\nreturn drafts[0]'
)
OTHER = 'x = ask("reader", "Who?")\nreturn x'
SUM = "total = 3 * 4\nreturn total"
FUNCTION = "def f(x):\n    return x"
INDENTED = "\n".join(f"    {line}" for line in PROGRAM.split("\n"))
SESSION = ">>> x = ask('solver', 'a')\n'12'\n>>> for i in x:\n...     print(i)\n1\n>>> return x"
JSON_CALL = json.dumps({"name": "run_workflow", "arguments": {"program": PROGRAM}})
NESTED = 'x = ask("coder", """Write\n```python\nprint(1)\n```\nand run it""")\nreturn x'
ESCAPED = PROGRAM.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
HTML = PROGRAM.replace('"', "&quot;").replace("not drafts", "len(drafts) &lt; 1")


def fenced(program: str, language: str = "python", ticks: str = "```") -> str:
    return f"{ticks}{language}\n{program}\n{ticks}"


def runs(program: str, imagined: str | None = None) -> RunProgram:
    return RunProgram(program, "fence", imagined)


def tagged(answer: str) -> GiveAnswer:
    return GiveAnswer(answer, tagged=True)


def untagged(answer: str) -> GiveAnswer:
    return GiveAnswer(answer, tagged=False)


MESSAGES: dict[str, tuple[str, Action]] = {
    # programs
    "plain fence": (f"I ask three solvers.\n\n{fenced(PROGRAM)}", runs(PROGRAM)),
    "text after the fence": (f"{fenced(PROGRAM)}\nThis asks three solvers and returns `drafts[0]`.", runs(PROGRAM)),
    "py": (fenced(PROGRAM, "py"), runs(PROGRAM)),
    "Python3": (fenced(PROGRAM, "Python3"), runs(PROGRAM)),
    "python with attributes": (fenced(PROGRAM, 'python title="flow.py"'), runs(PROGRAM)),
    "braces": (fenced(PROGRAM, "{.python .numberLines}"), runs(PROGRAM)),
    "tildes": (fenced(PROGRAM, "python", "~~~"), runs(PROGRAM)),
    "four ticks": (fenced(PROGRAM, "python", "````"), runs(PROGRAM)),
    "fence after words on its line": (f"Program: {fenced(PROGRAM)}", runs(PROGRAM)),
    "fence on one line": ('```python return ask("solver", "q")```', runs('return ask("solver", "q")')),
    "code on the line of the fence": (f"```python import re\n{OTHER}\n```", runs(f"import re\n{OTHER}")),
    "closing fence at the end of a line": (f"```python\n{PROGRAM}```", runs(PROGRAM)),
    "carriage returns": (fenced(PROGRAM).replace("\n", "\r\n"), runs(PROGRAM)),
    "unclosed fence": (f"Here:\n```python\n{PROGRAM}\n", runs(PROGRAM)),
    "unclosed fence and control token": (f"```python\n{PROGRAM}<|im_end|>", runs(PROGRAM)),
    "unclosed fence, then an answer": (f"```python\n{PROGRAM}\n<answer>3</answer>", runs(PROGRAM, "3")),
    "two blocks": (f"{fenced(PROGRAM)}\nBetter:\n{fenced(OTHER)}", runs(OTHER)),
    "first block unclosed": (f"```python\n{PROGRAM}\n{fenced(OTHER)}", runs(OTHER)),
    "then a block of another language": (f"{fenced(PROGRAM)}\nOutput:\n{fenced('12', 'text')}", runs(PROGRAM)),
    "then an untagged block of output": (f"{fenced(PROGRAM)}\nOutput:\n{fenced('12', '')}", runs(PROGRAM)),
    "then Python without a call": (f"{fenced(PROGRAM)}\nIn short:\n{fenced('return drafts[0]')}", runs(PROGRAM)),
    "untagged fence": (fenced(PROGRAM, ""), runs(PROGRAM)),
    "language on a line of its own": (f"```\npython\n{PROGRAM}\n```", runs(PROGRAM)),
    "fence of a wrong language": (fenced(PROGRAM, "javascript"), runs(PROGRAM)),
    "fence inside a text of the program": (fenced(NESTED), runs(NESTED)),
    "answer tag inside the program": (
        fenced('a = ask("solver", "q")\nreturn f"<answer>{a}</answer>"'),
        runs('a = ask("solver", "q")\nreturn f"<answer>{a}</answer>"'),
    ),
    "no fence": (PROGRAM, runs(PROGRAM)),
    "no calls and no answer": (fenced(SUM), runs(SUM)),
    # programs to be mended
    "indented": (fenced(INDENTED), runs(PROGRAM)),
    "in a list": ("1. Run this:\n" + fenced(PROGRAM).replace("\n", "\n   "), runs(PROGRAM)),
    "escaped twice": (fenced(ESCAPED), runs(PROGRAM)),
    "line feeds escaped": (fenced(OTHER.replace("\n", "\\n")), runs(OTHER)),
    "interpreter session": (fenced(SESSION), runs("x = ask('solver', 'a')\nfor i in x:\n    print(i)\nreturn x")),
    "one prompt": (fenced(f">>> {PROGRAM}"), runs(PROGRAM)),
    "HTML": (fenced(HTML), runs(PROGRAM.replace("not drafts", "len(drafts) < 1"))),
    # tool requests written as text
    "JSON": (JSON_CALL, runs(PROGRAM)),
    "JSON in a fence": (f"I call the tool.\n{fenced(JSON_CALL, 'json')}", runs(PROGRAM)),
    "JSON in tool_call tags": (f"<tool_call>\n{JSON_CALL}\n</tool_call>", runs(PROGRAM)),
    "JSON with a fence inside": (
        json.dumps({"name": "run_workflow", "arguments": {"program": fenced(PROGRAM)}}),
        runs(PROGRAM),
    ),
    "JSON with arguments as text": (
        json.dumps(
            {"type": "function", "function": {"name": "run_workflow", "arguments": json.dumps({"program": OTHER})}}
        ),
        runs(OTHER),
    ),
    "JSON with real line feeds": (JSON_CALL.replace("\\n", "\n"), runs(PROGRAM)),
    "JSON that is cut": (JSON_CALL.removesuffix('"}}'), runs(PROGRAM)),
    "JSON of the arguments alone": (json.dumps({"program": PROGRAM}), runs(PROGRAM)),
    "XML": (
        f"<function=run_workflow>\n<parameter=program>\n{PROGRAM}\n</parameter>\n</function>",
        runs(PROGRAM),
    ),
    # reasoning
    "reasoning, then a program": (f"<think>A {fenced(OTHER)} maybe?</think>\n{fenced(PROGRAM)}", runs(PROGRAM)),
    "reasoning with an answer": (f"<thinking><answer>1</answer></thinking>\n{fenced(PROGRAM)}", runs(PROGRAM)),
    "reasoning, then an answer": ("<think>3 * 4</think> <answer>12</answer>", tagged("12")),
    "reasoning never opened": ("Well, <answer>1</answer>?\n</think>\n<answer>12</answer>", tagged("12")),
    "reasoning in brackets": ("[THINK]3 * 4[/THINK]12", untagged("12")),
    "reasoning never closed": (
        f"<think>I could write {fenced(PROGRAM)}",
        Unusable(
            "The message holds only reasoning: neither a program nor an answer.",
            "Write one ```python block with a program, or give the answer as <answer>value</answer>.",
        ),
    ),
    "think tag inside the program": (
        fenced('x = ask("solver", "Use <think> tags")\nreturn x.split("</think>")[-1]'),
        runs('x = ask("solver", "Use <think> tags")\nreturn x.split("</think>")[-1]'),
    ),
    # program and answer
    "imagined result": (f"{fenced(PROGRAM)}\nIt gives 12.\n<answer>12</answer>", runs(PROGRAM, "12")),
    "answer before the program": (f"<answer>12</answer>\nTo be sure:\n{fenced(PROGRAM)}", runs(PROGRAM, "12")),
    "template after the program": (f"{fenced(PROGRAM)}\n<answer>{{result}}</answer>", runs(PROGRAM)),
    "tag named in prose": (f"I end with <answer> later.\n{fenced(PROGRAM)}", runs(PROGRAM, "later.")),
    "tag quoted in prose": (f"I answer in `<answer>` later.\n{fenced(PROGRAM)}", runs(PROGRAM)),
    "program in an answer tag": (f"<answer>\n{fenced(PROGRAM)}\n</answer>", runs(PROGRAM, PROGRAM)),
    "illustration and answer": (f"{fenced('print(3 * 4)')}\n<answer>12</answer>", tagged("12")),
    # answers
    "tag": ("Three times four.\n<answer>12</answer>", tagged("12")),
    "tag on lines of its own": ("<answer>\n 12 \n</answer>", tagged("12")),
    "capitals and spaces": ("< Answer >12</ Answer >", tagged("12")),
    "final_answer": ("<final_answer>12</final_answer>", tagged("12")),
    "several tags": ("<answer>11</answer> No: <answer>12</answer>", tagged("12")),
    "template after the answer": ("<answer>12</answer> in the form <answer>...</answer>", tagged("12")),
    "unclosed tag": ("So <answer>12", tagged("12")),
    "unclosed tag and an explanation": ("<answer>12\n\nBecause 3 * 4 is 12.", tagged("12")),
    "closed by a second opening": ("<answer>12<answer>", tagged("12")),
    "never opened": ("Three times four:\n12</answer>", tagged("12")),
    "escaped tag": ("&lt;answer&gt;12&lt;/answer&gt;", tagged("12")),
    "block in a tag": (f"<answer>\n{fenced(FUNCTION)}\n</answer>", tagged(FUNCTION)),
    "tag in a Python block": (fenced("<answer>C</answer>"), tagged("C")),
    "tag after code in its block": (fenced("total = 12\n# Final answer\n<answer>12</answer>"), tagged("12")),
    "box in a tag": ("<answer>It is \\boxed{12}.</answer>", tagged("12")),
    "label in a tag": ("<answer>**Answer:** 12</answer>", tagged("12")),
    "bold in a tag": ("<answer>**12**</answer>", tagged("12")),
    "dollars in a tag": ("<answer>$\\frac{1}{2}$</answer>", tagged("\\frac{1}{2}")),
    "price in a tag": ("<answer>$5</answer>", tagged("$5")),
    "set and interval": ("<answer>[0, 1]</answer>", tagged("[0, 1]")),
    "box only": ("So the result is \\boxed{\\frac{1}{2}}, as was asked.", untagged("\\frac{1}{2}")),
    "two boxes": ("First \\boxed{1}, then \\boxed{2}.", untagged("2")),
    "box in a box": ("Thus \\boxed{\\boxed{2}}.", untagged("2")),
    "box cut off": ("First \\boxed{1}, then \\boxed{2", untagged("1")),
    "last line after Answer": ("3 * 4 = 12\n\n**Final Answer:** 12", untagged("12")),
    "the answer is": ("3 * 4 = 12\nThe answer is: 12", untagged("12")),
    "value below Answer": ("3 * 4 = 12\nAnswer:\n12", untagged("12")),
    "Answer amid the text": ("Answer: 12\nThis holds for all x.", untagged("Answer: 12\nThis holds for all x.")),
    "whole text": ("The capital is Paris.", untagged("The capital is Paris.")),
    "whole text in a fence": (fenced("12", ""), untagged("12")),
    "JSON as the answer": ('{"name": "Ada", "born": 1815}', untagged('{"name": "Ada", "born": 1815}')),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_what_a_message_means(name: str) -> None:
    text, action = MESSAGES[name]
    assert parse_message(text) == action


@pytest.mark.parametrize(
    "text", ["", "  \n", "<think>hm</think>", "<answer></answer>", "<answer>your answer</answer>", "..."]
)
def test_messages_without_content_are_unusable_and_say_what_to_do(text: str) -> None:
    action = parse_message(text)
    assert isinstance(action, Unusable)
    assert "<answer>" in action.hint
    assert "```python" in action.hint


def request(arguments: str, name: str = "run_workflow") -> ToolRequest:
    return ToolRequest(id="1", name=name, arguments=arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        json.dumps({"program": PROGRAM}),
        json.dumps(json.dumps({"program": PROGRAM})),
        json.dumps({"program": ESCAPED}),
        json.dumps({"program": fenced(PROGRAM)}),
        json.dumps({"code": PROGRAM}),
        json.dumps({"program": PROGRAM}).replace("\\n", "\n"),
        json.dumps({"program": PROGRAM}).removesuffix('"}'),
        json.dumps(PROGRAM),
        PROGRAM,
    ],
)
def test_programs_of_tool_requests(arguments: str) -> None:
    assert parse_message("I run it. <answer>3</answer>", [request(arguments)]) == RunProgram(PROGRAM, "tool", "3")


def test_the_last_tool_request_wins_and_the_text_beside_it_is_passed_over() -> None:
    requests = [request(json.dumps({"program": PROGRAM})), request(json.dumps({"program": OTHER}))]
    assert parse_message(fenced(PROGRAM), requests) == RunProgram(OTHER, "tool")


@pytest.mark.parametrize("arguments", ["", "{}", '{"program": ""}', '{"program": 3}', "[1]", "null"])
def test_a_tool_request_without_a_program_is_unusable(arguments: str) -> None:
    action = parse_message("", [request(arguments)])
    assert isinstance(action, Unusable)
    assert "run_workflow" in action.reason


def test_a_sub_agent_called_as_a_tool_is_explained() -> None:
    action = parse_message("", [request('{"question": "q"}', name="solver")])
    assert isinstance(action, Unusable)
    assert "'solver'" in action.reason
    assert "ask(" in action.hint


def test_without_programs_allowed_a_block_is_text() -> None:
    code = fenced(FUNCTION)
    assert parse_message(f"{fenced(PROGRAM)}\n<answer>12</answer>", allow_program=False) == tagged("12")
    assert parse_message(code, allow_program=False) == untagged(FUNCTION)
    assert isinstance(parse_message("", [request("{}")], allow_program=False), Unusable)


PIECES = [
    "```", "```python\n", "~~~", "\n", " ", "<answer>", "</answer>", "<think>", "</think>", "ask(", '"""', "'", "\\n", '\\"',
    "{", "}", '{"name": "run_workflow", "arguments": ', '{"program": "', "&lt;", "\\boxed{", "$", "**", "Answer: ", ">>> ",
    "return x", "<parameter=program>", "run_workflow", "<|im_end|>", "#", "12",
]  # fmt: skip
ANY_MESSAGE = st.one_of(
    st.text(), st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=30).map("".join)
)


@given(text=ANY_MESSAGE, arguments=st.none() | ANY_MESSAGE, allow=st.booleans())
def test_any_message_has_an_action(text: str, arguments: str | None, allow: bool) -> None:
    requests = [] if arguments is None else [request(arguments)]
    action = parse_message(text, requests, allow_program=allow)
    match action:
        case RunProgram(program=program):
            assert allow
            assert program.strip()
        case GiveAnswer(answer=answer):
            assert answer.strip()
        case Unusable(reason=reason, hint=hint):
            assert reason
            assert hint


@given(text=ANY_MESSAGE)
def test_a_fence_carries_any_text_and_mending_alone_changes_it(text: str) -> None:
    assume("run_workflow" not in text and '{"' not in text and "<answer>" not in text)
    ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    action = parse_message(fenced(text, "python", ticks))
    mended = mend_program(text)
    assert action == RunProgram(mended, "fence") if mended else not isinstance(action, RunProgram)


TEXT_LITERAL = st.text(st.characters(exclude_categories=["Cs"]), max_size=30).map(repr)
STATEMENT = st.one_of(
    TEXT_LITERAL.map(lambda text: f"x = ask('solver', {text})"),
    TEXT_LITERAL.map(lambda text: f"if x == {text}:\n    x = {text} + x  # {text}"),
    TEXT_LITERAL.map(lambda text: f"def f(a):\n    for b in a:\n        yield b or {text}"),
    st.integers().map(lambda number: f"n = {number} < 3 & 5"),
    TEXT_LITERAL.map(lambda text: f'y = """a\n  ```\n  {text[1:-1]}\n"""' if '"' not in text else f"y = {text}"),
)


@settings(max_examples=200)
@given(statements=st.lists(STATEMENT, min_size=1, max_size=6))
def test_a_valid_program_comes_out_of_a_message_as_it_went_in(statements: list[str]) -> None:
    program = "\n".join([*statements, "return x"])
    ast.parse(program)
    assert mend_program(program) == program
    assert parse_message(f"Plan.\n{fenced(program)}\nDone.") == runs(program)
    assert parse_message("", [request(json.dumps({"program": program}))]) == RunProgram(program, "tool")
