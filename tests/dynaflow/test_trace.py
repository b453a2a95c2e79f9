"""The trace of a run as a person reads it, whole, cut off, and with hostile text in it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from dynaflow.events import EVENT, CallFinished, Event, ModelCalled, RunFinished
from dynaflow.trace import render_trace
from dynaflow.wording import as_text, cut, one_line, visible

EVENTS = [EVENT.validate_json(line) for line in (Path(__file__).parent / "pens.jsonl").read_bytes().splitlines()]


def shown(events: list[Event], *, full: bool = False, terminal: bool = False) -> str:
    console = Console(file=io.StringIO(), width=200, force_terminal=terminal, highlight=False)
    console.print(render_trace(events, full=full))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def with_text(text: str) -> list[Event]:
    """The run, with a text in each place where a model or a program may have written it."""
    changed: list[Event] = []
    for event in EVENTS:
        match event:
            case ModelCalled():
                changed.append(event.model_copy(update={"text": text, "reasoning": text}))
            case CallFinished() if event.status == "delivered":
                changed.append(event.model_copy(update={"value": text}))
            case RunFinished():
                changed.append(event.model_copy(update={"answer": text, "reason": text}))
            case _:
                changed.append(event)
    return changed


@pytest.mark.parametrize(
    "line",
    [
        "task",
        "context: Prices include tax.",
        "answer format: a number",
        "turn 1 · 3.2 s · 812+160 tokens",
        "wrote: I will let two agents work.",
        "attempt 1 at local: failed (429) · 0.2 s · 0+0 tokens · waited 1.0 s",
        '1 prices = [ask("slover"',
        "check: 1 finding",
        "Did you mean 'solver'?",
        "check: passed",
        "workflow failed · 4 calls · 33.9 s",
        "call 1 solver · delivered · 1.3 s · 118+22 tokens",
        "What do 12 pens cost at 3 for 2 dollars?",
        "reply repaired as JSON: no number: trailing text",
        "before: 8 dollars [bold]sure[/bold]",
        "call 3 coder [change] · delivered",
        'inputs (from calls 1, 2): {"prices": [2.0, 8.0]}',
        "attempt 1 at local: failed (connect)",
        "tool python ok",
        'arguments: {"program": "print(20 - 8)"}',
        "result: 12",
        "call 4 verifier · failed · 30.1 s · at least 300+0 tokens",
        "inputs (from call 3): ",
        "CallTimeout: no reply from 'verifier' within 30 s",
        "shared change version 1: 12.0",
        "printed: prices [2.0, 8.0]",
        'in line 5: return {"change": paid, "verdict": check.verdict}',
        "hint: catch CallFailed around the use of the call",
        "turn 3",
        "answered",
        "answer: 12",
        "degraded · 4 calls (3 delivered) · failed: 1 CallTimeout · main 3,202+330 tokens",
        "why: 1 of 4 calls failed",
    ],
)
def test_the_whole_story_is_told(line: str):
    assert line in shown(EVENTS)


def test_the_steps_of_a_call_stand_in_their_order():
    text = shown(EVENTS)
    call = text[text.index("call 3 coder") :]
    order = [call.index(step) for step in ("attempt 1", "attempt 2", "tool python", "attempt 3", "value: 12.0")]
    assert order == sorted(order)


def test_what_went_well_at_once_is_not_spelled_out():
    text = shown(EVENTS)
    call = text[text.index("call 1 solver") : text.index("call 2 solver")]
    assert "attempt" not in call


def test_the_program_is_shown_once():
    assert shown(EVENTS).count('ask("slover"') == 1 + 1  # the program, and the finding that quotes it


def test_long_texts_are_cut_unless_full():
    assert "more characters)" in shown(EVENTS)
    full = shown(EVENTS, full=True)
    assert "more characters)" not in full
    assert full.count("Pens") == 60
    assert "to the model (system): You organise." in full


@pytest.mark.parametrize("length", range(len(EVENTS)))
def test_a_run_that_was_cut_off_anywhere_can_be_read(length: int):
    text = shown(EVENTS[:length])
    assert ("this run did not end: its last event is" in text) == (length > 0)
    assert ("did not begin" in text) == (length == 0)


def test_a_call_that_is_out_says_so():
    assert "call 1 solver · did not end" in shown(EVENTS[:10])


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize(
    ("hostile", "escaped"),
    [
        ("\x1b]0;owned\x07", r"\x1b]0;owned\a"),
        ("\x9b2J", r"\x9b2J"),
        ("over\rwritten", r"over\rwritten"),
        ("abc\u202edcb", r"abc\u202edcb"),
        ("[bold red]not markup[/] [/nope]", "[bold red]not markup[/] [/nope]"),
    ],
)
def test_the_text_of_models_does_not_act(hostile: str, escaped: str, terminal: bool):
    text = shown(with_text(hostile), terminal=terminal)
    assert escaped in text
    assert hostile == escaped or hostile not in text


@given(st.text())
def test_visible_text_holds_nothing_but_characters_that_show(text: str):
    assert all(character in "\n\t" or ord(character) >= 0x20 for character in visible(text))
    assert visible(visible(text)) == visible(text)


@given(st.text(), st.integers(1, 50), st.integers(1, 5))
def test_a_cut_text_says_how_much_is_missing(text: str, characters: int, lines: int):
    short = cut(text, characters, lines)
    assert short == text.rstrip() or short.endswith(" more characters)")


def test_values_are_worded_for_people():
    assert as_text("plain") == "plain"
    assert as_text({"a": [1, None]}) == '{"a": [1, null]}'
    assert as_text({"a": "x" * 200}).startswith('{\n  "a"')
    assert one_line("  several\n lines \n", 20) == "several lines"
    assert one_line("0123456789", 5) == "0123…"
