"""What the main agent sees after a turn: the outcome of its workflow, or what was wrong with its message.

The outcome is rendered from the events of the turn alone, seconds included, so that a replayed journal gives the same text. It
is bounded in tokens. What is never cut away is said first: how the workflow ended, where it failed, what is left of the
budget. The room that is left goes to the returned value, then to a row for each call, then to printed text; what one
does not need the next may take. Every cut says how much was left out; the whole outputs stay in the journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dynaflow.call_rows import as_text, count_statuses, render_rows, row_of
from dynaflow.events import Budget, Event, FindingRecord, WorkflowFinished
from dynaflow.loops import REPEATS_NOTED
from dynaflow.story import CallStory, Story
from dynaflow.templates import render
from dynaflow.token_estimate import cut_to_tokens, estimate_tokens
from dynaflow.wording import one_line

__all__ = [
    "estimate_tokens",
    "render_check_feedback",
    "render_must_delegate_feedback",
    "render_unusable_feedback",
    "render_workflow_feedback",
]

_VALUE_SHARE, _ROWS_SHARE = 0.5, 0.7
"""Of the room: what the value may take at most, and the rows of what is then left, when all of them want more."""
_LINE_TOKENS = 60
_MESSAGE_TOKENS = 120
_LEAST_TOKENS = 500
_FINDINGS, _FINDING_TOKENS = 5, 150
_NOTES, _NOTE_CHARACTERS = 3, 60
_NOTE = "Note: {} was asked [{}] again {} times although its reply was there; use that reply, or ask something else."


@dataclass(frozen=True, slots=True)
class _Finished:
    """A workflow that has ended, and its calls by number."""

    ended: WorkflowFinished
    calls: dict[int, CallStory]


def render_check_feedback(program: str, findings: Sequence[FindingRecord]) -> str:
    """What the check found in a program before it ran, each with its line and caret."""
    lines = len(program.splitlines())
    shown = [cut_to_tokens(f.text or f.message, _FINDING_TOKENS) for f in findings[:_FINDINGS]]
    return render("check_feedback", findings=shown, more=max(len(findings) - _FINDINGS, 0), lines=lines)


def render_unusable_feedback(reason: str, hint: str) -> str:
    """Why a message was neither a program nor an answer, and what to do."""
    return render("unusable_feedback", reason=reason, hint=hint)


def render_must_delegate_feedback() -> str:
    """For a forced run: an answer came before any sub-agent had delivered."""
    return render("must_delegate_feedback")


def render_workflow_feedback(events: Iterable[Event], *, budget_left: Budget, max_tokens: int) -> str:
    """What came of the workflow of one turn, in at most `max_tokens` tokens by `estimate_tokens`.

    events: those of the turn, or of the whole run, of which the newest workflow counts.
    max_tokens: taken for 500 if it is less.
    Raises `ValueError` if no workflow has finished in the events.
    """
    turn = _workflow_turn(events)
    ended = turn.ended
    rows = [row_of(call) for call in turn.calls.values()]
    value, printed = "" if ended.value is None else as_text(ended.value), ended.printed.rstrip()
    head = {
        "ended": _shortened(ended),
        "left": budget_left,
        "statuses": count_statuses(rows),
        "notes": _notes(turn.calls.values()),
    }
    bare = render("workflow_feedback", **head, value=value and "-", rows=rows and "-", printed=printed and "-")
    room = max(max_tokens, _LEAST_TOKENS) - estimate_tokens(bare)
    shares = _shares(room, [estimate_tokens(value), sum(row.tokens for row in rows), estimate_tokens(printed)])
    return render(
        "workflow_feedback",
        **head,
        value=cut_to_tokens(value, shares[0]),
        rows=render_rows(rows, shares[1]),
        printed=cut_to_tokens(printed, shares[2]),
    )


def _shares(room: int, needs: Sequence[int]) -> tuple[int, int, int]:
    """Tokens for value, rows and printed text: each its share of what is left, or more where the later need less."""
    value, rows, printed = needs
    for_value = min(value, max(int(room * _VALUE_SHARE), room - rows - printed))
    rest = room - for_value
    for_rows = min(rows, max(int(rest * _ROWS_SHARE), rest - printed))
    return for_value, for_rows, min(printed, rest - for_rows)


def _notes(calls: Iterable[CallStory]) -> list[str]:
    """A line for each call that was repeated so often that its author should know; of many only the worst."""
    worst: dict[tuple[str, str], int] = {}
    for started in (call.started for call in calls if call.started.repeats >= REPEATS_NOTED):
        worst[started.agent, one_line(started.instruction, _NOTE_CHARACTERS)] = started.repeats
    ordered = sorted(worst.items(), key=lambda item: -item[1])
    return [_NOTE.format(agent, said, repeats) for (agent, said), repeats in ordered[:_NOTES]]


def _workflow_turn(events: Iterable[Event]) -> _Finished:
    turns = Story.of(events).turns.values()
    for turn in reversed(list(turns)):
        if turn.ended is not None:
            return _Finished(turn.ended, turn.calls)
    raise ValueError("no WorkflowFinished among the events; render the feedback after the workflow has ended")


def _shortened(ended: WorkflowFinished) -> WorkflowFinished:
    """The end of a workflow with its texts cut to what is always shown."""
    return ended.model_copy(
        update={
            "message": cut_to_tokens(ended.message or "", _MESSAGE_TOKENS),
            "source_line": cut_to_tokens((ended.source_line or "").strip(), _LINE_TOKENS),
            "hint": cut_to_tokens(ended.hint or "", _LINE_TOKENS),
        }
    )
