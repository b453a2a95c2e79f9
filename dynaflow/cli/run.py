"""`dynaflow run`: run a program that a person wrote."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynaflow.cli import options
from dynaflow.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from dynaflow.journal import Journal
    from dynaflow.live import LiveView
    from dynaflow.solving import Result


def run(
    file: options.ProgramFile,
    question: Annotated[
        str,
        typer.Option(
            "--question",
            "--task",
            metavar="TEXT",
            help="What the program finds as `task.question`; `-` reads standard input. Default: the program's name.",
        ),
    ] = "",
    agent_model: options.AgentModel = None,
    pool: options.PoolFile = None,
    policy: options.PolicyFile = None,
    corpus: options.Corpus = None,
    context: options.Context = "",
    answer_format: options.AnswerFormat = "",
    budget_calls: options.BudgetCalls = None,
    budget_tokens: options.BudgetTokens = None,
    budget_usd: options.BudgetUsd = None,
    budget_seconds: options.BudgetSeconds = None,
    budget_concurrency: options.BudgetConcurrency = None,
    seed: options.Seed = 0,
    cache: options.UseCache = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
    journal: options.JournalPlace = None,
) -> None:
    """Run a program written by hand, in the sandbox and with sub-agents; its value is the answer.

    Exit codes are those of dynaflow solve.
    """
    from dynaflow import solving
    from dynaflow.cli.answering import Output, carry_out
    from dynaflow.settings import Settings

    if question == "-" and str(file) == "-":
        raise SettingError("program and question cannot both come from standard input: give one of them in words")
    program = options.read_program(file)
    task = options.read_task(question or _name(file), context, answer_format)
    agents, allowed = options.read_pool(pool), options.read_policy(policy)
    budget = options.budget_of(
        calls=budget_calls, tokens=budget_tokens, usd=budget_usd, seconds=budget_seconds, concurrency=budget_concurrency
    )  # fmt: skip
    settings = Settings()

    def work(record: "Journal", view: "LiveView") -> "Awaitable[Result]":
        return solving.run_program(
            program,
            task,
            agent_model=agent_model or settings.agent_model or settings.model,
            pool=agents,
            budget=budget,
            corpus=corpus,
            policy=allowed,
            journal=record,
            seed=seed,
            cache=cache,
            observe=view.show,
        )

    carry_out(work, Output(as_json, quiet, journal))


def _name(file: Path) -> str:
    return "a program from standard input" if str(file) == "-" else file.name
