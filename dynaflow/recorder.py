"""Where the events of one run go: into the journal, and then before the eyes of whoever watches."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

import anyio

from dynaflow.board import Board
from dynaflow.cache import Cache
from dynaflow.errors import JournalError
from dynaflow.events import Event
from dynaflow.journal import Journal

_INSIDE_A_CALL = frozenset(
    {"CallStarted", "CallAttempted", "CallServed", "ModelSwitched", "ReplyRepaired", "ToolCalled"}
)


class Recorder:
    """Writes the events of a run into the journal, and shows each when it is there, in the order of the journal."""

    def __init__(self, run: str, journal: Journal, show: Callable[[Event], None]) -> None:
        self.run = run
        self.show = show
        """Shows an event at once: for what is never journalled."""
        self._journal = journal
        self._lost: JournalError | None = None
        self._committed: deque[tuple[Event, asyncio.Future[None] | None, JournalError | None]] = deque()

    def board(self) -> Board:
        """The board of the run."""
        return Board(self._journal, self.run)

    def cache(self) -> Cache:
        """The replies that the journal holds."""
        return Cache(self._journal)

    async def record(self, event: Event, *, awaited: bool = True) -> None:
        """Journal an event, and wait until it is there. Raises `JournalError` if it, or one before it, could not be written.

        A step inside a call is not waited for, since the call's one terminal event comes behind it and is. Its start is
        written at once, the rest may stay unwritten for some milliseconds, and so may what is not `awaited`.
        """
        if self._lost is not None:
            raise self._lost
        loop = asyncio.get_running_loop()
        waiting = loop.create_future() if awaited and event.type not in _INSIDE_A_CALL else None

        def done(error: JournalError | None) -> None:  # in the journal's thread, which wakes the loop once for many
            self._committed.append((event, waiting, error))
            if len(self._committed) == 1:
                loop.call_soon_threadsafe(self._tell)

        self._journal.enqueue(
            self.run, event, done, urgent=waiting is not None or (awaited and event.type == "CallStarted")
        )
        if waiting is not None:
            with anyio.CancelScope(shield=True):
                await waiting

    def _tell(self) -> None:
        """Show what has been committed, and let those go on who wait for it."""
        while self._committed:
            event, waiting, error = self._committed[0]
            if error is None:
                self.show(event)
            else:
                self._lost = error
            if waiting is not None and not waiting.done():
                waiting.set_result(None) if error is None else waiting.set_exception(error)
            self._committed.popleft()  # last, so that the thread never takes the queue for untended
