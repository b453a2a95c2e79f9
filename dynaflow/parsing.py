"""What a message of the main agent means: run this program, take this answer, or neither.

The workflow arrives as the tool request `run_workflow(program)` where the endpoint supports tools, else as the last fenced Python
block; the answer is `<answer>...</answer>`, or the whole text where there is neither tag nor program. Reasoning is left out
first. What models get wrong on the way is mended by `message_parts` (fences and tags), `program_text` (escapes) and
`answer_text` (wrappings). Where a message holds both a program and an answer:

1. A tool request wins over all text beside it.
2. A program that asks sub-agents wins over an answer, before it or after it: the model ran ahead and imagined the result.
   The imagined answer is kept in `RunProgram.imagined`, for a loop that sees the same program again after it has run.
3. A program without a call loses against an answer, of which it is an illustration; it runs when there is no answer.
Of several programs the last that asks sub-agents counts, else the last; of several answers the last that is no placeholder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dynaflow.answer_text import answer_of_message, bare_answer, is_placeholder
from dynaflow.message_parts import Fence, Part, Prose, Tagged, split_message
from dynaflow.program_text import (
    TOOL,
    asks_agents,
    looks_like_program,
    mend_program,
    program_of_arguments,
    program_of_written_request,
    starts_like_program,
)
from subagents.messages import ToolRequest


@dataclass(frozen=True, slots=True)
class RunProgram:
    """The message is a program. `source` is `tool` for a tool request, `fence` for one found in the text."""

    program: str
    source: Literal["tool", "fence"]
    imagined: str | None = None
    """The answer that the same message gave, before its program had run."""


@dataclass(frozen=True, slots=True)
class GiveAnswer:
    """The message is an answer; `tagged` is False when the whole text was taken, for want of a tag."""

    answer: str
    tagged: bool


@dataclass(frozen=True, slots=True)
class Unusable:
    """The message is neither: why, and what to do instead."""

    reason: str
    hint: str


Action = RunProgram | GiveAnswer | Unusable

_WAYS = "Write one ```python block with a program, or give the answer as <answer>value</answer>."
_ANSWER_WAY = "Give the answer as <answer>value</answer>."


def parse_message(text: str, tool_requests: Sequence[ToolRequest] = (), *, allow_program: bool = True) -> Action:
    """The action that a message asks for. Never raises.

    allow_program: False where only an answer is expected; programs then count as text.
    """
    parts = split_message(text)
    answer = _tagged_answer(parts)
    if allow_program:
        program = _requested_program(tool_requests)
        if program:
            return RunProgram(program, "tool", answer)
        program = _written_program(parts)
        if program and (answer is None or asks_agents(program)):
            return RunProgram(program, "fence", answer)
    if answer is not None:
        return GiveAnswer(answer, tagged=True)
    return _whole_text(text, parts, tool_requests, _WAYS if allow_program else _ANSWER_WAY)


def _whole_text(text: str, parts: Sequence[Part], tool_requests: Sequence[ToolRequest], hint: str) -> Action:
    answer = answer_of_message("".join(part.raw for part in parts if not isinstance(part, Tagged)))
    if tool_requests:
        return _unusable_request(tool_requests[-1])
    if answer and not is_placeholder(answer):
        return GiveAnswer(answer, tagged=False)
    if any(isinstance(part, Tagged) for part in parts):
        return Unusable("The answer tag holds no value.", hint)
    if text.strip():
        return Unusable("The message holds only reasoning: neither a program nor an answer.", hint)
    return Unusable("The message is blank.", hint)


def _unusable_request(request: ToolRequest) -> Unusable:
    if request.name == TOOL:
        return Unusable(f"{TOOL} was called without a program.", f"Call {TOOL} with the whole text of a program.")
    how = f'Sub-agents are asked inside a program, with ask("agent", instruction): call {TOOL} with that program.'
    return Unusable(f"There is no tool {request.name!r}.", how)


def _requested_program(tool_requests: Sequence[ToolRequest]) -> str | None:
    programs = [program_of_arguments(request.arguments) for request in tool_requests if request.name == TOOL]
    mended = [mend_program(program) for program in programs if program]
    return next((program for program in reversed(mended) if program), None)


def _written_program(parts: Sequence[Part]) -> str | None:
    visible = "".join(part.raw for part in parts)
    written = program_of_written_request(visible)
    if written and (program := mend_program(written)):
        return program
    programs = [mend_program(body) for body in _program_blocks(parts)]
    if not programs and all(isinstance(part, Prose) for part in parts) and starts_like_program(visible):
        programs = [mend_program(visible)]
    asking = [program for program in programs if asks_agents(program)]
    return next((program for program in reversed(asking or programs) if program), None)


def _program_blocks(parts: Sequence[Part]) -> list[str]:
    """The blocks that are programs; one inside an answer tag is a program only if it asks sub-agents."""
    bodies = []
    for part in parts:
        if isinstance(part, Fence) and _is_program(part):
            bodies.append(part.body)
        elif isinstance(part, Tagged):
            inner = [block for block in split_message(part.content) if isinstance(block, Fence)]
            bodies += [block.body for block in inner if _is_program(block) and asks_agents(block.body)]
    return bodies


def _is_program(fence: Fence) -> bool:
    if fence.language.startswith(("py", "ipython", "tool_code")):
        return bool(fence.body.strip())
    if not fence.language:
        return looks_like_program(fence.body)
    return asks_agents(fence.body) and not fence.language.startswith("json")


def _tagged_answer(parts: Sequence[Part]) -> str | None:
    answers = [bare_answer(part.content) for part in parts if isinstance(part, Tagged)]
    return next((answer for answer in reversed(answers) if not is_placeholder(answer)), None)
