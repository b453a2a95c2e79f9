"""Replies kept across runs: a call that asks the very same thing of the same endpoint, with the same seed, is not paid again.

The seed of a call is made of the run's seed, the call's key and how often it was asked before, so a run under another seed
asks anew, and five samples of one question stay five. What is stored is only where a reply lies in the journal.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynaflow.events import CallFinished
    from dynaflow.journal import Journal


class Cache:
    """The replies that a journal holds, by what decided them."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._runs: dict[str, dict[tuple[int, int], CallFinished]] = {}

    async def find(self, key: str) -> tuple[str, CallFinished] | None:
        """The run that has the reply, and its call's end there; None if no run has it, or it was pruned."""
        place = await self._journal.reply_place(key)
        if place is None:
            return None
        run, turn, call = place
        if (turn, call) not in self._runs.get(run, {}):
            self._runs[run] = {(event.turn, event.call): event for event in self._journal.replies(run)}
        finished = self._runs[run].get((turn, call))
        return None if finished is None else (run, finished)

    async def keep(self, key: str, run: str, turn: int, call: int) -> None:
        """Remember where a reply lies."""
        await self._journal.keep_reply(key, run, turn, call)


def cache_key(key: str, endpoint: str, temperature: float, seed: int) -> str:
    """The hash of everything that a reply depends on."""
    return hashlib.sha256(f"{key} {endpoint} {temperature} {seed}".encode()).hexdigest()
