"""The live view: what a run is doing, on standard error, while it does it.

On a terminal the lower part of the screen moves: the text of the main agent as it is written, and a line for
each call that is out, with its seconds. What has ended is printed above it and stays. Where standard error is
no terminal the same story comes line by line and nothing moves. `show` only notes and prints; a thread of
rich redraws the moving part.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from dynaflow.events import (
    Answered,
    CallFinished,
    CallStarted,
    Event,
    GrantDecided,
    ModelCalled,
    ProgramAudited,
    ProgramChecked,
    RunStarted,
    TextStreamed,
    TurnStarted,
    WorkflowFinished,
    WorkflowStarted,
)
from dynaflow.story import Story
from dynaflow.trace import call_line, call_name, code, grant_line
from dynaflow.wording import as_text, count, numbered, one_line, seconds, tokens, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from dynaflow.story import CallStory

MOST_LINES = 14
"""Lines of streamed text, and of calls that are out, that are shown at most."""


class LiveView:
    """Shows events as they come; a context manager, so that the screen is left in order."""

    def __init__(self, *, quiet: bool = False, console: Console | None = None) -> None:
        """quiet: show nothing. console: where to; standard error by default."""
        self._console = console or Console(stderr=True, highlight=False)
        self.quiet = quiet
        self._moves = not quiet and self._console.is_terminal and not self._console.is_dumb_terminal
        self._moving = _Moving(self._console)
        self._live: Live | None = None
        self.program: str | None = None
        """The program that was shown last."""
        self.run: str | None = None
        """The id of the run, as soon as it has one."""

    def __enter__(self) -> Self:
        if self._moves:
            self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def show(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, RunStarted):
            self.run = event.run
        if self.quiet:
            return
        self._moving.take(event)
        parts = list(_lasting(event, self._moving.story, moves=self._moves))
        if parts and self._live is not None:
            self._live.refresh()
        for part in parts:
            self._console.print(part, soft_wrap=not self._moves)
        if isinstance(event, ProgramChecked):
            self.program = event.program

    @contextmanager
    def paused(self) -> Iterator[Console]:
        """Nothing moves inside: the place to ask the user something, on the console that it gives."""
        moving = self._live is not None
        self._stop()
        try:
            yield self._console
        finally:
            if moving:
                self._start()

    def _start(self) -> None:
        live = Live(
            get_renderable=self._moving.render,
            console=self._console,
            transient=True,
            refresh_per_second=8,
            redirect_stdout=False,
        )
        live.start()
        self._live = live

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


class _Moving:
    """The part that moves. Another thread renders it, so that it reads what `take` changes in copies only."""

    def __init__(self, console: Console) -> None:
        self.story = Story()
        self._console = console
        self._spinner = Spinner("dots")
        self._doing = "starting"
        self._since = time.time()
        self._streamed = ""
        self._calls: dict[int, CallStory] = {}

    def take(self, event: Event) -> None:
        self.story.take(event)
        match event:
            case TextStreamed():
                self._streamed += event.text
            case TurnStarted():
                self._now(f"turn {event.turn}: the main agent writes", event.at)
            case ModelCalled():
                self._now(f"turn {event.turn}: the message is checked", event.at)
            case WorkflowStarted():
                self._now(f"turn {event.turn}: the program runs", event.at)
                self._calls = self.story.turns[event.turn].calls
            case WorkflowFinished():
                self._now(f"turn {event.turn}: the program has ended", event.at)
                self._calls = {}

    def render(self) -> RenderableType:
        now = time.time()
        room = max(3, min(MOST_LINES, self._console.height - 4))
        self._spinner.update(text=Text(f"{self._doing} · {seconds(now - self._since)}"))
        return Group(*self._tail(room), *self._out(room, now), self._spinner)

    def _now(self, doing: str, since: float) -> None:
        self._doing, self._since, self._streamed = doing, since, ""

    def _tail(self, room: int) -> Iterator[Text]:
        """The end of the text that is being written."""
        recent = visible(self._streamed[-room * 400 :]).rstrip("\n")
        for line in recent.split("\n")[-room:] if recent else ():
            yield Text(f"  {line}", "dim", no_wrap=True, overflow="ellipsis")

    def _out(self, room: int, now: float) -> Iterator[Text]:
        """A line for each call that is out, the oldest first."""
        out = [call.started for call in list(self._calls.values()) if call.finished is None]
        for started in out[:room]:
            passed = (f" · {seconds(now - started.at)}", "yellow")
            line = Text.assemble("  ", call_name(started), passed, f" · {one_line(started.instruction, 200)}")
            line.no_wrap, line.overflow = True, "ellipsis"
            yield line
        if len(out) > room:
            yield Text(f"  and {count(len(out) - room, 'more call')}")


def _lasting(event: Event, story: Story, *, moves: bool) -> Iterator[RenderableType]:
    """What of an event is printed and stays."""
    match event:
        case RunStarted():
            yield Text.assemble(("run ", "bold"), f"{event.run} · {event.mode} · {visible(event.model)}")
        case TurnStarted() if not moves:
            yield Text(f"turn {event.turn}: the main agent writes")
        case ModelCalled():
            yield Text(f"turn {event.turn}: written · {seconds(event.seconds)} · {tokens(event.usage)}")
        case ProgramChecked():
            yield code(event.program) if moves else Text(numbered(event.program))
            if event.findings:
                found = count(len(event.findings), "finding")
                yield Text(f"turn {event.turn}: the check has {found}, the program does not run", "yellow")
            yield from (Text(visible(finding.text), "yellow") for finding in event.findings)
        case CallStarted() if not moves:
            yield Text.assemble("  ", call_name(event), f" · started · {one_line(event.instruction, 100)}")
        case CallFinished():
            yield _call(event, story)
        case GrantDecided():
            yield Text.assemble(f"turn {event.turn}: ", grant_line(event))
        case ProgramAudited(alert=alert) if alert is not None:
            yield Text(f"turn {event.turn}: ALERT: {event.detail or event.cause}", "bold red")
        case WorkflowFinished():
            yield _workflow(event)
        case Answered():
            yield Text(f"turn {event.turn}: answered", "green")


def _call(event: CallFinished, story: Story) -> Text:
    started = story.turns[event.turn].calls[event.call].started
    what = as_text(event.value) if event.status == "delivered" else f"{event.failure or ''} {event.message or ''}"
    return Text.assemble("  ", call_line(started, event), f" · {one_line(what, 100)}")


def _workflow(event: WorkflowFinished) -> Text:
    if event.status == "finished":
        value = one_line(as_text(event.value), 200)
        return Text.assemble((f"turn {event.turn}: the program finished", "green"), f" · {value}")
    where = f" in line {event.line}: {event.source_line or ''}" if event.line else ""
    why = one_line(f"{event.error}: {event.message or ''}{where}", 400)
    return Text.assemble((f"turn {event.turn}: the program failed", "red"), f" · {why}")
