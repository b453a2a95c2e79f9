"""What happened in a run, as the events that tell it."""

from __future__ import annotations

from typing import cast

from pydantic import JsonValue

from dynaflow.events import ModelCalled, WorkflowFinished
from dynaflow.main_agent import Said
from sandbox import Outcome
from subagents import Attempt, TokenUsage


def model_called(turn: int, said: Said) -> ModelCalled:
    """The main agent said something."""
    reply = said.reply
    return ModelCalled(
        turn=turn, text=reply.text, reasoning=reply.reasoning, tool_requests=reply.tool_requests,
        finish_reason=reply.finish_reason, attempts=said.attempts, usage=_sum(said.attempts), seconds=said.seconds,
    )  # fmt: skip


def workflow_finished(turn: int, outcome: Outcome) -> WorkflowFinished:
    """A program ended."""
    error, usage = outcome.error, outcome.usage
    return WorkflowFinished(
        turn=turn, status="failed" if error else "finished", value=cast("JsonValue", outcome.value),
        printed=outcome.printed, seconds=usage.wall_seconds, cpu_seconds=usage.cpu_seconds, peak_bytes=usage.peak_bytes,
        error=error.kind if error else None, message=error.message if error else None, line=error.line if error else None,
        source_line=error.source_line if error else None, hint=error.hint if error else None,
    )  # fmt: skip


def _sum(attempts: tuple[Attempt, ...]) -> TokenUsage:
    return sum((attempt.usage for attempt in attempts), TokenUsage())
