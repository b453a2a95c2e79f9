"""What the main agent sees after a turn: complete where there is room, fairly cut and bounded where there is not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynaflow.events import (
    Budget,
    CallFinished,
    CallStarted,
    Event,
    FindingRecord,
    TurnStarted,
    WorkflowFinished,
    WorkflowStarted,
)
from dynaflow.feedback import (
    estimate_tokens,
    render_check_feedback,
    render_must_delegate_feedback,
    render_unusable_feedback,
    render_workflow_feedback,
)
from dynaflow.token_estimate import cut_to_tokens

LEFT = Budget(turns=5, calls=60, tokens=180_000, seconds=1_700)


def started(call: int, instruction: str = "How many are left?", label: str | None = None) -> CallStarted:
    return CallStarted(turn=1, call=call, agent="solver", instruction=instruction, label=label, branch="0", line=2)


def delivered(call: int, value: object, seconds: float = 2.34) -> CallFinished:
    return CallFinished(turn=1, call=call, status="delivered", value=value, text=str(value), seconds=seconds)  # type: ignore[arg-type]


def failed(call: int) -> CallFinished:
    message = "'solver' gave no reply within 60 seconds"
    return CallFinished(turn=1, call=call, status="failed", failure="CallTimeout", message=message, seconds=60)


def ended(value: object = None, printed: str = "", turn: int = 1, **error: object) -> WorkflowFinished:
    return WorkflowFinished.model_validate(
        {
            "turn": turn, "status": "failed" if error else "finished", "value": value, "printed": printed,
            "seconds": 12.34, "cpu_seconds": 0.1, "peak_bytes": 1, **error,
        }
    )  # fmt: skip


def render(*events: Event, left: Budget = LEFT, tokens: int = 1_000) -> str:
    begin = (TurnStarted(turn=1, messages=()), WorkflowStarted(turn=1, program="return 1"))
    return render_workflow_feedback([*begin, *events], budget_left=left, max_tokens=tokens)


def test_a_finished_workflow_is_told_whole_where_there_is_room() -> None:
    calls = (started(1, label="draft 1"), started(2), delivered(2, {"ok": True}, 0.5), delivered(1, "12\npens"))
    text = render(*calls, ended(12.0, printed="votes: 2\n"))
    assert text == (
        "The workflow finished in 12.3 s.\n\n"
        "Returned value:\n12\n\n"
        "Calls (2 delivered):\n"
        "1 solver [draft 1]: delivered, 2.3 s: 12 pens\n"
        '2 solver [How many are left?]: delivered, 0.5 s: {"ok": true}\n\n'
        "Printed:\nvotes: 2\n\n"
        "Left: 5 turns, 60 calls, 180,000 tokens, 1,700 seconds.\n\n"
        "Now give the answer to the task as <answer>value</answer>: only the value, in the answer format of the task. "
        "Only if the returned value cannot be right, write a better program instead."
    )


def test_a_failed_workflow_names_the_line_the_failed_call_and_asks_for_a_mended_program() -> None:
    error = {"error": "WorkflowRuntimeError", "message": "CallTimeout: no reply", "line": 3, "source_line": "  x = y.z"}
    text = render(started(1), failed(1), started(2), ended(**error, hint="catch CallFailed"))
    assert text.startswith(
        "The workflow failed after 12.3 s with WorkflowRuntimeError: CallTimeout: no reply\n"
        "  line 3: x = y.z\n"
        "  hint: catch CallFailed\n"
    )
    assert (
        "1 solver [How many are left?]: failed, 60.0 s: CallTimeout: 'solver' gave no reply within 60 seconds" in text
    )
    assert "2 solver [How many are left?]: did not end" in text
    assert "Calls (1 failed, 1 unfinished)" in text
    assert "Write the whole program again" in text


def test_no_value_and_no_calls_are_said() -> None:
    text = render(ended())
    assert "It returned no value" in text
    assert "It made no call." in text


@pytest.mark.parametrize("value", [0, False, "", [], {}])
def test_values_that_are_empty_or_false_are_values(value: object) -> None:
    text = render(ended(value))
    assert "Returned value:" in text
    assert "returned no value" not in text


def test_with_the_last_turn_or_call_the_answer_is_demanded() -> None:
    for left in (Budget(turns=1), Budget(calls=0)):
        text = render(ended(12), left=left)
        assert "Now give the answer as <answer>" in text
        assert "program instead" not in text
    assert "Left: 1 turn." in render(ended(1), left=Budget(turns=1, calls=None, tokens=None, seconds=None))


def test_the_newest_workflow_of_a_run_counts() -> None:
    old = [TurnStarted(turn=1, messages=()), started(1), delivered(1, "old"), ended("old")]
    new = [TurnStarted(turn=2, messages=()), ended("new", turn=2)]
    text = render_workflow_feedback([*old, *new], budget_left=LEFT, max_tokens=500)
    assert "new" in text
    assert "old" not in text


def test_without_a_finished_workflow_there_is_nothing_to_render() -> None:
    with pytest.raises(ValueError, match="WorkflowFinished"):
        render(started(1))


def test_cuts_say_how_much_was_left_out_and_short_replies_stay_whole() -> None:
    long = "abcde " * 2_000
    calls = [started(call) for call in (1, 2, 3)] + [delivered(1, "short"), delivered(2, long), delivered(3, long)]
    text = render(*calls, ended("v" * 9_000, printed="p" * 9_000))
    assert estimate_tokens(text) <= 1_000
    assert "1 solver [How many are left?]: delivered, 2.3 s: short\n" in text
    cuts = {int(count.replace(",", "")) for count in re.findall(r"…\[([\d,]+) more characters\]", text)}
    assert len(cuts) == 3
    for letter in "vp":
        kept = max(map(len, re.findall(f"{letter}+", text)))
        assert 9_000 - kept in cuts
    assert text.count("v") > text.count("p") > 50


def test_where_the_value_is_small_the_calls_get_its_room() -> None:
    calls = [started(1), delivered(1, "abcde " * 400)]
    assert "more characters" not in render(*calls, ended(12))


def test_of_too_many_calls_the_failed_and_the_latest_are_listed_and_the_rest_counted() -> None:
    calls: list[Event] = [started(call, label=f"part {call}") for call in range(1, 301)]
    calls += [failed(call) if call == 7 else delivered(call, f"reply {call}") for call in range(1, 301)]
    text = render(*calls, ended("done"))
    listed = [int(number) for number in re.findall(r"^(\d+) solver", text, re.M)]
    assert listed == sorted(listed)
    assert {7, 299, 300} <= set(listed)
    assert 10 < len(listed) < 40
    assert f"… {300 - len(listed)} more calls: {300 - len(listed)} delivered" in text
    assert "Calls (299 delivered, 1 failed)" in text


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
)
LONG_TEXT = st.builds(lambda text, times: text * times, st.text(min_size=1), st.integers(1, 3_000))


@settings(max_examples=150, deadline=None)
@given(
    values=st.lists(st.one_of(JSON_VALUES, LONG_TEXT), max_size=30),
    value=st.one_of(JSON_VALUES, LONG_TEXT),
    printed=LONG_TEXT | st.just(""),
    message=LONG_TEXT | st.none(),
    tokens=st.integers(0, 3_000),
)
def test_feedback_never_takes_more_tokens_than_it_may(
    values: list[object], value: object, printed: str, message: str | None, tokens: int
) -> None:
    calls: list[Event] = []
    for call, reply in enumerate(values, 1):
        calls += [started(call, instruction=str(reply) or "x"), delivered(call, reply)]
    error = {"error": "ResultError", "message": message, "line": 1, "source_line": message, "hint": message}
    text = render(*calls, ended(value, printed, **(error if message else {})), tokens=tokens)
    assert estimate_tokens(text) <= max(tokens, 500)


def test_a_check_is_worded_with_its_findings() -> None:
    finding = "line 1: there is no agent 'solvr'\n  x = ask('solvr', 'q')\n      ^\n  did you mean 'solver'?"
    record = FindingRecord(kind="choice", message="there is no agent 'solvr'", line=1, text=finding)
    text = render_check_feedback("x = ask('solvr', 'q')\nreturn x", [record])
    assert text.startswith(f"The program of 2 lines was not run. Its check found:\n\n{finding}\n")
    assert text.endswith("Write the whole program again without this fault.")


def test_many_and_long_findings_are_bounded() -> None:
    records = [FindingRecord(kind="name", message="m", line=1, text="x" * 10_000) for _ in range(20)]
    text = render_check_feedback("x", records)
    assert "… 15 more" in text
    assert estimate_tokens(text) < 1_000


def test_an_unusable_message_is_explained() -> None:
    text = render_unusable_feedback("The message is blank.", "give the answer")
    assert text == "Your message could not be used: The message is blank.\nGive the answer."


def test_an_answer_without_delegation_is_sent_back() -> None:
    assert 'ask("agent", instruction)' in render_must_delegate_feedback()


TOKENS_OF = {
    "The shop sells pens at 3 for 2 dollars, and Ana buys twelve of them.": 19,
    "Josh sells 16 - 3 - 4 = <<16-3-4=9>>9 duck eggs a day.\n#### 18": 32,
    'best = Counter(drafts).most_common(1)[0][0]\ncheck = ask("verifier", "Compare.")': 26,
    '{"verdict": "correct", "reason": "12 * 3 - 5 = 31", "score": 0.875}': 34,
    "代理编写一个程序，沙箱运行它，并将结果返回给主代理。": 17,
    "Главный агент пишет программу.": 11,
    "😀🚀🧠": 3,
    "31415926535897932384": 20,
}
"""Texts, and the tokens that a tokenizer with 152,000 tokens makes of them."""


@pytest.mark.parametrize("text", TOKENS_OF)
def test_the_estimate_errs_upwards(text: str) -> None:
    assert TOKENS_OF[text] <= estimate_tokens(text)


@given(first=st.text(), second=st.text())
def test_the_estimate_of_a_whole_is_at_most_the_sum_of_its_parts(first: str, second: str) -> None:
    assert estimate_tokens(first + second) <= estimate_tokens(first) + estimate_tokens(second)


@given(text=LONG_TEXT, tokens=st.integers(0, 200))
def test_a_cut_text_fits_and_says_what_is_missing(text: str, tokens: int) -> None:
    cut = cut_to_tokens(text, tokens)
    assert estimate_tokens(cut) <= tokens
    if cut != text and cut:
        kept, left_out = cut.removesuffix(" more characters]").rsplit(" …[", 1)
        assert text.startswith(kept)
        assert len(kept) + int(left_out.replace(",", "")) == len(text)
