"""The main agent's loop: it answers, or writes a program that runs, until there is an answer or no budget.

`stream` runs it and hands out its events as they happen; `solve` is the loop over that stream which gives the
result. What is the model's fault (no program, a program with errors) goes back to the model as feedback; what is
the infrastructure's ends the run as `failed`. Whatever happened is in the journal when the event is seen.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Literal

import anyio
from pydantic import BaseModel, ConfigDict

from dynaflow.events import Budget, Event, Mode, RunFinished, Status
from dynaflow.journal import Journal, new_run_id
from dynaflow.language import contract_for
from dynaflow.prompting import choose_form
from dynaflow.recorder import Recorder
from dynaflow.run import Approve, Plan, Run
from dynaflow.staffing import House, open_house
from dynaflow.task import Task
from sandbox import Finding, open_sandbox
from sandbox.groups import only
from subagents import Corpus, Pool, TokenUsage

PromptChoice = Literal["auto", "compact", "full"]


class Result(BaseModel):
    """What a run came to."""

    model_config = ConfigDict(frozen=True)

    run: str
    status: Status
    answer: str | None
    reason: str | None
    """For every status but `answered`: why."""
    calls: int
    """Calls that were admitted by the budget."""
    delivered: int
    failures: dict[str, int]
    """Failed calls: failure name -> count."""
    main_usage: TokenUsage
    agent_usage: TokenUsage
    seconds: float


def stream(
    task: Task,
    *,
    mode: Mode = "dynamic",
    model: str = "local",
    agent_model: str | None = None,
    pool: Pool | None = None,
    budget: Budget = Budget(),
    corpus: Path | Corpus | None = None,
    journal: Journal | None = None,
    seed: int = 0,
    prompt: PromptChoice = "auto",
    approve: Approve | None = None,
) -> AbstractAsyncContextManager[AsyncIterator[Event]]:
    """The events of a run of the main agent, as they happen; leaving the block early interrupts the run.

    model, agent_model: endpoint strings of the main agent and of the sub-agents (None: the same).
    corpus: a folder, or passages, that a searcher searches; None is the task's context.
    journal: None is the user's own. approve: asked with each program before it runs.
    Raises the errors of bad set-up: `EndpointUnknown`, `PoolError`, `SandboxUnavailable`, `SettingError`, `JournalError`.
    """
    house = open_house(
        task, model=model, agent_model=agent_model or model, pool=pool or Pool.default(), corpus=corpus
    )  # fmt: skip

    def make(opened: House, recorder: Recorder) -> Callable[[], object]:
        window = opened.main.context_tokens if opened.main else None
        form = choose_form(window) if prompt == "auto" else prompt
        return Run(Plan(task, mode, budget, seed, form), opened, recorder, approve).drive

    return _events(house, journal, make)


async def solve(
    task: Task,
    *,
    mode: Mode = "dynamic",
    model: str = "local",
    agent_model: str | None = None,
    pool: Pool | None = None,
    budget: Budget = Budget(),
    corpus: Path | Corpus | None = None,
    journal: Journal | None = None,
    seed: int = 0,
    prompt: PromptChoice = "auto",
    approve: Approve | None = None,
    observe: Callable[[Event], None] | None = None,
) -> Result:
    """Let the main agent solve a task. Arguments and errors are those of `stream`; `observe` sees every event."""
    events = stream(
        task, mode=mode, model=model, agent_model=agent_model, pool=pool, budget=budget, corpus=corpus,
        journal=journal, seed=seed, prompt=prompt, approve=approve,
    )  # fmt: skip
    return await _result(events, observe)


async def run_program(
    program: str,
    task: Task,
    *,
    agent_model: str = "local",
    pool: Pool | None = None,
    budget: Budget = Budget(),
    corpus: Path | Corpus | None = None,
    journal: Journal | None = None,
    seed: int = 0,
    observe: Callable[[Event], None] | None = None,
) -> Result:
    """Run a program written by hand through the same sandbox, Flow and journal; its value is the answer."""
    house = open_house(task, model=None, agent_model=agent_model, pool=pool or Pool.default(), corpus=corpus)

    def make(opened: House, recorder: Recorder) -> Callable[[], object]:
        run = Run(Plan(task, "forced", budget, seed, "compact"), opened, recorder)
        return lambda: run.drive_program(program)

    return await _result(_events(house, journal, make), observe)


async def check_program(program: str, *, pool: Pool | None = None) -> list[Finding]:
    """What is wrong with a program, as far as can be told without running it."""
    agents = [agent.name for agent in pool or Pool.default()]
    async with open_sandbox() as sandbox:
        return await sandbox.check(program, contract_for(Task(question="?"), agents))


@asynccontextmanager
async def _events(
    house: AbstractAsyncContextManager[House],
    journal: Journal | None,
    make: Callable[[House, Recorder], Callable[[], object]],
) -> AsyncIterator[AsyncIterator[Event]]:
    """Run what `make` gives in the background, and hand out its events; the journal is closed if it is ours."""
    record = journal or Journal.open()
    send, receive = anyio.create_memory_object_stream[Event](float("inf"))
    try:
        async with send, receive, house as opened, anyio.create_task_group() as group:

            def show(event: Event) -> None:
                with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):  # nobody listens any more
                    send.send_nowait(event)

            drive = make(opened, Recorder(new_run_id(), record, show))

            async def work() -> None:
                async with send:
                    await drive()  # type: ignore[misc]

            group.start_soon(work)
            try:
                yield receive
            finally:
                group.cancel_scope.cancel()
    except BaseExceptionGroup as several:
        raise only(several) from None
    finally:
        if journal is None:
            record.close()


async def _result(
    events: AbstractAsyncContextManager[AsyncIterator[Event]], observe: Callable[[Event], None] | None
) -> Result:
    run, last = "", None
    async with events as arriving:
        async for event in arriving:
            if observe is not None:
                observe(event)
            run = event.run if event.type == "RunStarted" else run
            last = event
    assert isinstance(last, RunFinished), "a run ends with RunFinished"
    fields = {name: value for name, value in last if name in Result.model_fields}
    return Result(run=run, **fields)
