"""`dynaflow resume`, `rollback` and `whatif`: go on from a run, served from the journal."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynaflow.cli import options
from dynaflow.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from typing import NoReturn

    from dynaflow.events import Budget
    from dynaflow.journal import Journal
    from dynaflow.live import LiveView
    from dynaflow.replaying import CallPlace
    from dynaflow.solving import Result

RunId = Annotated[str, typer.Argument(metavar="RUN", help="A run id, the beginning of one, or `last`.")]
Calls = Annotated[
    list[str], typer.Option(metavar="CALL", help="A call whose reply is taken away: its number, or TURN.CALL.")
]


def resume(
    run: RunId = "last",
    corpus: options.Corpus = None,
    budget_turns: options.BudgetTurns = None,
    budget_calls: options.BudgetCalls = None,
    budget_tokens: options.BudgetTokens = None,
    budget_usd: options.BudgetUsd = None,
    budget_seconds: options.BudgetSeconds = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
    journal: options.JournalPlace = None,
) -> None:
    """Go on with a run that was cut off or ended without an answer; what was paid for is served from the journal.

    Limits may be raised: --budget-calls +20 adds to what the run had. Exit codes are those of dynaflow solve.
    """
    from dynaflow import replaying

    limits = {
        "turns": budget_turns, "calls": budget_calls, "tokens": budget_tokens, "usd": budget_usd, "seconds": budget_seconds
    }  # fmt: skip

    def work(record: "Journal", view: "LiveView") -> "Awaitable[Result]":
        budget = _budget(record, run, limits)
        return replaying.resume(run, journal=record, budget=budget, corpus=corpus, observe=view.show)

    _carry_out(work, as_json, quiet, journal)


def rollback(
    run: RunId,
    to: Annotated[
        str, typer.Option(metavar="TURN|TURN.CALL", help="Before which message of the main agent, or reply of a call.")
    ],
    seed: Annotated[int | None, typer.Option(help="Seed of what is asked again. Default: another than before.")] = None,
    corpus: options.Corpus = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
    journal: options.JournalPlace = None,
) -> None:
    """Go back to an earlier point of a run, and on from there in a run of its own; the journal keeps both."""
    from dynaflow import replaying

    place = replaying.CallPlace.read(to)
    turn, call = (place.call, None) if place.turn is None else (place.turn, place.call)

    def work(record: "Journal", view: "LiveView") -> "Awaitable[Result]":
        return replaying.rollback(
            run, journal=record, turn=turn, call=call, seed=seed, corpus=corpus, observe=view.show
        )  # fmt: skip

    _carry_out(work, as_json, quiet, journal)


def whatif(
    run: RunId,
    program: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Another program in the place of the workflow's.")
    ] = None,
    turn: Annotated[int | None, typer.Option(help="Which turn's workflow. Default: the last one's.")] = None,
    without: Calls = [],  # noqa: B006 - typer only reads it
    reply: Annotated[
        list[str], typer.Option(metavar="CALL=FILE", help="Another reply for a call, as text or JSON.")
    ] = [],  # noqa: B006
    corpus: options.Corpus = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
    journal: options.JournalPlace = None,
) -> None:
    """Run a workflow again with something changed, and pay only for what depends on it."""
    from dynaflow import replaying

    changed = {_place(text): _reply(file) for text, file in map(_parted, reply)}
    taken = [_place(text) for text in without]
    chosen = _one_turn(turn, [*taken, *changed])
    edited = options.read_program(program) if program is not None else None

    def work(record: "Journal", view: "LiveView") -> "Awaitable[Result]":
        return replaying.whatif(
            run, journal=record, turn=chosen, program=edited, without=[place.call for place in taken],
            replies={place.call: text for place, text in changed.items()}, corpus=corpus, observe=view.show,
        )  # fmt: skip

    _carry_out(work, as_json, quiet, journal)


def _parted(text: str) -> tuple[str, str]:
    call, sign, file = text.partition("=")
    if not sign or not file:
        raise SettingError(f"--reply {text!r}: write CALL=FILE, with the reply in a file")
    return call, file


def _place(text: str) -> "CallPlace":
    from dynaflow.replaying import CallPlace

    return CallPlace.read(text)


def _reply(file: str) -> str:
    return options.read_program(Path(file)).removesuffix("\n")


def _one_turn(turn: int | None, places: "Iterable[CallPlace]") -> int | None:
    turns = {place.turn for place in places if place.turn is not None} | ({turn} if turn is not None else set())
    if len(turns) > 1:
        raise SettingError(f"what is changed must be of one workflow, not of the turns {sorted(turns)}")
    return next(iter(turns), None)


def _budget(journal: "Journal", run: str, limits: dict[str, options.NewLimit | None]) -> "Budget | None":
    """The budget of a run with other limits; None where none is given."""
    from dynaflow.events import RunStarted

    if not any(limits.values()):
        return None
    started = journal.own_events(journal.find(run))[0]
    return options.budget_of(started.budget if isinstance(started, RunStarted) else None, **limits)


def _carry_out(
    work: "Callable[[Journal, LiveView], Awaitable[Result]]", as_json: bool, quiet: bool, journal: str | None
) -> "NoReturn":
    from dynaflow.cli.answering import Output, carry_out

    carry_out(work, Output(as_json, quiet, journal))
