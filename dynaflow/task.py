"""A task: a question with optional context, the format that the answer should have, and a gold answer."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Task(BaseModel):
    """What a run is asked to solve. `gold` never reaches a model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(min_length=1)
    context: str = ""
    answer_format: str = ""
    """How the answer should look, in words, e.g. "a number"."""
    gold: str | None = None
    id: str | None = None
