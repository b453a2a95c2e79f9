"""The options that several commands have, each said once, and how their values are read."""

import re
import sys
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dynaflow.errors import SettingError

if TYPE_CHECKING:
    from dynaflow.events import Budget
    from dynaflow.policies import Policy
    from dynaflow.task import Task
    from subagents.pool import Pool

_AMOUNT = "N|+N"


@dataclass(frozen=True, slots=True)
class NewLimit:
    """A limit as it was given: an amount, or so much more than there was."""

    amount: Decimal
    more: bool = False

    def on(self, limit: "float | Decimal | None") -> Decimal | None:
        """The limit that it makes of the one that was; no limit stays none."""
        if not self.more:
            return self.amount
        return None if limit is None else Decimal(str(limit)) + self.amount


def parse_amount(text: str) -> NewLimit:
    """Read `20`, or `+20` for so many more. Raises `typer.BadParameter`."""
    found = re.fullmatch(r"(\+?)(\d+(?:\.\d+)?|\.\d+)", text.strip().replace("_", ""), re.ASCII)
    if found is None:
        raise typer.BadParameter(f"{text!r} is no amount: write a number such as 20, or +20 for 20 more than before")
    return NewLimit(Decimal(found[2]), more=bool(found[1]))


_MODELS = "`local`, `openai:NAME`, `vllm:NAME` or `http://HOST:PORT/v1#NAME`"

Mode = Annotated[
    Literal["direct", "dynamic", "forced"],
    typer.Option(
        help="direct: answer without sub-agents. dynamic: the model chooses. forced: it must let sub-agents work."
    ),
]
Model = Annotated[
    str | None, typer.Option(help=f"Endpoint of the main agent: {_MODELS}. Default: DYNAFLOW_MODEL, else `local`.")
]
AgentModel = Annotated[
    str | None,
    typer.Option(help="Endpoint of the sub-agents. Default: DYNAFLOW_AGENT_MODEL, else that of the main agent."),
]
PoolFile = Annotated[
    Path | None,
    typer.Option(
        "--pool", metavar="FILE", help="Pool of sub-agents (YAML). Default: DYNAFLOW_POOL, else the default pool."
    ),
]
PolicyFile = Annotated[
    Path | None,
    typer.Option(
        "--policy",
        metavar="FILE",
        help="What programs may do in this run (YAML: agents, modules, limits). Default: all that the pool grants.",
    ),
]
Corpus = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", exists=True, file_okay=False, help="Folder of texts that the searcher searches."),
]
Context = Annotated[
    str, typer.Option(metavar="TEXT|@FILE", help="Context of the question; @FILE reads it from a file.")
]
AnswerFormat = Annotated[str, typer.Option(metavar="TEXT", help='How the answer should look, e.g. "a number".')]
BudgetTurns = Annotated[
    NewLimit | None,
    typer.Option(parser=parse_amount, metavar=_AMOUNT, help="Turns of the main agent at most. Default: 6."),
]
BudgetCalls = Annotated[
    NewLimit | None,
    typer.Option(parser=parse_amount, metavar=_AMOUNT, help="Calls to sub-agents at most. Default: 64."),
]
BudgetTokens = Annotated[
    NewLimit | None,
    typer.Option(
        parser=parse_amount,
        metavar=_AMOUNT,
        help="Tokens of main agent and sub-agents together at most. Default: 200000.",
    ),
]
BudgetUsd = Annotated[
    NewLimit | None,
    typer.Option(parser=parse_amount, metavar=_AMOUNT, help="US dollars at most. Default: no limit."),
]
BudgetSeconds = Annotated[
    NewLimit | None,
    typer.Option(parser=parse_amount, metavar=_AMOUNT, help="Seconds of the run at most. Default: 1800."),
]
BudgetConcurrency = Annotated[
    NewLimit | None,
    typer.Option(
        parser=parse_amount, metavar=_AMOUNT, help="Calls in flight at most; more of them wait. Default: no limit."
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of sampling and of `random` in programs.")]
UseCache = Annotated[
    bool,
    typer.Option("--cache", help="Take replies that earlier runs of this journal have paid for, and keep new ones."),
]
Prompt = Annotated[
    Literal["auto", "compact", "full"],
    typer.Option(help="Form of the main agent's instructions; auto chooses by the model's context."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the bare answer.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="No live view and no closing line: warnings and errors only.")
]
JournalPlace = Annotated[
    str | None,
    typer.Option(
        "--journal", metavar="FILE|URL", help="Journal. Default: DYNAFLOW_JOURNAL, else the user's data folder."
    ),
]
RunId = Annotated[str, typer.Argument(metavar="RUN", help="Run id, a beginning of it, or `last`.")]
ProgramFile = Annotated[Path, typer.Argument(metavar="FILE", help="Program; `-` reads standard input.")]


def read_task(question: str, context: str, answer_format: str) -> "Task":
    """The task that a command line describes; a question of `-` is read from standard input."""
    from dynaflow.task import Task

    text = sys.stdin.read() if question == "-" else question
    if not text.strip():
        where = "on standard input" if question == "-" else "on the command line"
        raise SettingError(f'the question {where} is empty: give one, e.g. dynaflow solve "What is 6 times 7?"')
    return Task(question=text.strip(), context=_text_or_file(context), answer_format=answer_format)


def read_program(file: Path) -> str:
    """The text of a program."""
    return sys.stdin.read() if str(file) == "-" else _read(file)


def read_pool(file: Path | None) -> "Pool":
    """The pool of a file, of DYNAFLOW_POOL, or the default one."""
    from dynaflow.settings import Settings
    from subagents.pool import Pool

    chosen = file or Settings().pool
    return Pool.load(chosen) if chosen else Pool.default()


def read_policy(file: Path | None) -> "Policy":
    """The policy of a file; none narrows nothing."""
    from dynaflow.policies import Policy

    return Policy.load(file) if file else Policy()


def budget_of(before: "Budget | None" = None, **limits: NewLimit | None) -> "Budget":
    """A budget with the limits that were given, by name; the rest is that of `before`, or the default.

    Raises `SettingError` for a limit that a budget cannot have.
    """
    from pydantic import ValidationError

    from dynaflow.events import Budget

    budget = before or Budget()
    given = {name: limit.on(getattr(budget, name)) for name, limit in limits.items() if limit is not None}
    try:
        return Budget.model_validate({**budget.model_dump(), **given})
    except ValidationError as error:
        problem = error.errors()[0]
        name, value = problem["loc"][0], problem["input"]
        raise SettingError(f"--budget-{name} cannot be {value}: {problem['msg']}") from None


def _text_or_file(text: str) -> str:
    return _read(Path(text[1:])) if text.startswith("@") else text


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SettingError(
            f"{str(file)!r} is no text in UTF-8 ({error.reason} at byte {error.start}): convert it"
        ) from error
    except OSError as error:
        raise SettingError(f"cannot read {str(file)!r}: {error.strerror}: give a file that can be read") from error
