"""The calls of a workflow as rows of text that share a number of tokens fairly.

Every row says call, agent, label, status and seconds; what is left of the room is shared by the replies, so that short replies
stay whole and only long ones are cut, all to the same length. Where not even the bare rows fit, failed calls come first,
then the latest, and one line counts the others.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynaflow.token_estimate import cut_to_tokens, estimate_tokens
from dynaflow.wording import one_line

if TYPE_CHECKING:
    from pydantic import JsonValue

    from dynaflow.story import CallStory

_LABEL_CHARACTERS = 48
_LEAST_REPLY = 12
"""Tokens of a reply below which a row tells too little to be listed."""
_COUNT_TOKENS = 24
_EXACT = 2**53


@dataclass(frozen=True, slots=True)
class Row:
    """One call: what is always said of it, and its reply or failure, on one line each."""

    call: int
    status: str
    head: str
    reply: str

    @property
    def tokens(self) -> int:
        """Tokens of the whole row with its line feed."""
        return estimate_tokens(self.head) + estimate_tokens(f" {self.reply}\n")


def row_of(story: CallStory) -> Row:
    """The row of a call, as far as the call went."""
    started, finished = story.started, story.finished
    label = one_line(started.label or started.instruction, _LABEL_CHARACTERS)
    name = f"{started.call} {started.agent} [{label}]"
    if finished is None:
        return Row(started.call, "unfinished", f"{name}: did not end", "")
    head = f"{name}: {finished.status}, {finished.seconds:.1f} s:"
    if finished.status == "delivered":
        return Row(started.call, finished.status, head, as_line(finished.value))
    if finished.failure is None:
        return Row(started.call, finished.status, head[:-1], "")
    return Row(started.call, finished.status, head, as_line(f"{finished.failure}: {finished.message or 'no message'}"))


def as_line(value: JsonValue) -> str:
    """A value on one line: text as it is but for its white space, data as JSON."""
    return " ".join(as_text(value).split())


def as_text(value: JsonValue) -> str:
    """Text as it is, data as JSON; a blank text as JSON too, so that it is seen, and 12.0 as 12, as people write it."""
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def count_statuses(rows: Sequence[Row]) -> str:
    """For example `3 delivered, 1 failed`."""
    return ", ".join(f"{number:,} {status}" for status, number in sorted(Counter(row.status for row in rows).items()))


def render_rows(rows: Sequence[Row], tokens: int) -> str:
    """The rows in the order of the calls, in at most so many tokens."""
    listed = _listed(rows, tokens)
    left_out = [row for row in rows if row not in listed]
    room = tokens - sum(_bare(row) for row in listed) - (_COUNT_TOKENS if left_out else 0)
    share = _equal_share([estimate_tokens(row.reply) for row in listed], room)
    lines = [f"{row.head} {cut_to_tokens(row.reply, share)}".rstrip() for row in listed]
    if left_out:
        lines.append(f"… {len(left_out):,} more calls: {count_statuses(left_out)}")
    return "\n".join(lines)


def _listed(rows: Sequence[Row], tokens: int) -> list[Row]:
    if sum(_bare(row) + _least_reply(row) for row in rows) <= tokens:
        return list(rows)
    room = tokens - _COUNT_TOKENS
    chosen = set()
    for row in sorted(rows, key=lambda row: (row.status != "failed", -row.call)):
        room -= _bare(row) + _least_reply(row)
        if room < 0:
            break
        chosen.add(row.call)
    return [row for row in rows if row.call in chosen]


def _bare(row: Row) -> int:
    return estimate_tokens(f"{row.head} \n")


def _least_reply(row: Row) -> int:
    return min(_LEAST_REPLY, estimate_tokens(row.reply))


def _equal_share(needs: Sequence[int], room: int) -> int:
    """The greatest length to which all must be cut so that together they fit."""
    left = len(needs)
    share = room
    for need in sorted(needs):
        share = room // left
        if need > share:
            return share
        room -= need
        left -= 1
    return max(needs, default=share)
