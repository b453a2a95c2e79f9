"""`dynaflow solve`: let the main agent solve one task."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from dynaflow.cli import options
from dynaflow.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from dynaflow.journal import Journal
    from dynaflow.live import LiveView
    from dynaflow.solving import Result


def solve(
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="The question; `-` reads it from standard input.")
    ],
    mode: options.Mode = "dynamic",
    model: options.Model = None,
    agent_model: options.AgentModel = None,
    pool: options.PoolFile = None,
    policy: options.PolicyFile = None,
    corpus: options.Corpus = None,
    context: options.Context = "",
    answer_format: options.AnswerFormat = "",
    budget_turns: options.BudgetTurns = None,
    budget_calls: options.BudgetCalls = None,
    budget_tokens: options.BudgetTokens = None,
    budget_usd: options.BudgetUsd = None,
    budget_seconds: options.BudgetSeconds = None,
    budget_concurrency: options.BudgetConcurrency = None,
    seed: options.Seed = 0,
    cache: options.UseCache = False,
    prompt: options.Prompt = "auto",
    approve: Annotated[
        bool,
        typer.Option(
            "--approve", help="Show each program and ask before it runs, also for what the policy holds back."
        ),
    ] = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
    journal: options.JournalPlace = None,
) -> None:
    """Solve a question: the main agent answers it, or writes a program that lets sub-agents work on it.

    The answer goes to standard output, the live view and the costs to standard error.
    Exit codes: 0 answered, 1 no answer, 2 bad input or set-up, 3 failed for an infrastructure cause, 130 interrupted.
    """
    from dynaflow import solving
    from dynaflow.cli.answering import Output, carry_out
    from dynaflow.cli.approval import ask_approval, ask_grant
    from dynaflow.settings import Settings

    if approve and question == "-":
        raise SettingError("--approve asks on standard input, which the question `-` reads: give the question in words")
    settings = Settings()
    task = options.read_task(question, context, answer_format)
    agents, allowed = options.read_pool(pool), options.read_policy(policy)
    budget = options.budget_of(
        turns=budget_turns, calls=budget_calls,
        tokens=budget_tokens, usd=budget_usd, seconds=budget_seconds, concurrency=budget_concurrency
    )  # fmt: skip

    def work(record: "Journal", view: "LiveView") -> "Awaitable[Result]":
        return solving.solve(
            task,
            mode=mode,
            model=model or settings.model,
            agent_model=agent_model or settings.agent_model,
            pool=agents,
            budget=budget,
            corpus=corpus,
            policy=allowed,
            journal=record,
            seed=seed,
            cache=cache,
            prompt=prompt,
            approve=partial(ask_approval, view) if approve else None,
            grant=partial(ask_grant, view) if approve else None,
            observe=view.show,
        )

    carry_out(work, Output(as_json, quiet, journal))
