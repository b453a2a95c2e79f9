"""The live view: line by line into a pipe, moving on a terminal, silent when quiet."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from dynaflow.events import EVENT, TextStreamed
from dynaflow.live import LiveView

EVENTS = [EVENT.validate_json(line) for line in (Path(__file__).parent / "pens.jsonl").read_bytes().splitlines()]


def played(*, terminal: bool = False, quiet: bool = False) -> str:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=terminal, width=100, height=30, highlight=False, color_system=None)
    with LiveView(quiet=quiet, console=console) as view:
        for event in EVENTS:
            if event.type == "ModelCalled":
                view.show(TextStreamed(turn=event.turn, text="```python\nprices = [as"))
            view.show(event)
    return stream.getvalue()


def test_a_pipe_gets_one_line_for_each_thing_that_happens():
    lines = played().splitlines()
    assert "run 20261201-142233-1f0ab2 · dynamic · local" in lines
    assert "turn 1: the check has 1 finding, the program does not run" in lines
    assert '4 | print("prices", prices)' in lines
    assert "  call 3 coder [change] · started · Compute the change from 20 dollars." in lines
    assert "  call 3 coder [change] · delivered · 2.0 s · 460+48 tokens · 12.0" in lines
    assert any(line.startswith("turn 2: the program failed · WorkflowRuntimeError: ") for line in lines)
    assert lines[-1] == "turn 3: answered"
    assert not any("\x1b" in line or line != line.rstrip() for line in lines)


def test_a_terminal_keeps_what_has_ended_and_clears_what_moved():
    text = played(terminal=True)
    assert "call 3 coder [change] · delivered" in text
    assert "started" not in text
    assert text.rstrip("\n").endswith("\x1b[2K")
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1


def test_quiet_shows_nothing_and_still_knows_the_run():
    assert played(quiet=True) == ""
    with LiveView(quiet=True) as view:
        view.show(EVENTS[0])
    assert view.run == "20261201-142233-1f0ab2"


def test_a_pause_leaves_the_console_to_the_caller():
    stream = io.StringIO()
    with LiveView(console=Console(file=stream, force_terminal=True, width=80)) as view:
        with view.paused() as console:
            before = stream.getvalue()
            console.print("question?")
            assert stream.getvalue().removeprefix(before).strip() == "question?"
        view.show(EVENTS[0])
    assert "20261201-142233-1f0ab2" in stream.getvalue()
