"""The main agent's loop: it answers, or writes a program that runs, until there is an answer or no budget.

`stream` runs it and hands out its events as they happen; `solve` is the loop over that stream which gives the
result. What is the model's fault (no program, a program with errors) goes back to the model as feedback; what is
the infrastructure's ends the run as `failed`. Whatever happened is in the journal when the event is seen.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import Literal

import anyio
from pydantic import BaseModel, ConfigDict

from dynaflow.budgets import Scope
from dynaflow.events import Budget, Event, Mode, RunFinished, Setup, Status
from dynaflow.grants import Grant, contract_of
from dynaflow.journal import Journal, new_run_id
from dynaflow.policies import Policy, permissions
from dynaflow.prompting import PromptForm, choose_form
from dynaflow.recorder import Recorder
from dynaflow.run import Approve, Plan, Run
from dynaflow.staffing import House, open_house
from dynaflow.task import Task
from sandbox import Finding, open_sandbox
from sandbox.groups import only
from subagents import Corpus, Endpoints, Pool, TokenUsage

PromptChoice = Literal["auto", "compact", "full"]
Drive = Callable[[], Awaitable[None]]


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
    served: int = 0
    """Calls that were answered without a request, from a journal."""
    failures: dict[str, int]
    """Failed calls: failure name -> count."""
    main_usage: TokenUsage
    agent_usage: TokenUsage
    usd: Decimal | None
    """US dollars; None where a price or some usage is not known."""
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
    endpoints: Endpoints | None = None,
    policy: Policy = Policy(),
    journal: Journal | None = None,
    seed: int = 0,
    prompt: PromptChoice = "auto",
    approve: Approve | None = None,
    grant: Grant | None = None,
    within: Scope | None = None,
    cache: bool = False,
) -> AbstractAsyncContextManager[AsyncIterator[Event]]:
    """The events of a run of the main agent, as they happen; leaving the block early interrupts the run.

    model, agent_model: endpoint strings of the main agent and of the sub-agents (None: the same).
    corpus: a folder, or passages, that a searcher searches; None is the task's context.
    endpoints: open ones of yours, for many runs and for changing replicas while they go on; None opens some for this run.
    policy: what programs may do in this run; it narrows what the pool grants.
    journal: None is the user's own. approve: asked with each program before it runs.
    grant: asked when a program wants what the policy holds back though the pool grants it; None refuses.
    within: a scope of a study, whose budget several runs share. cache: take replies that other runs have paid for.
    Raises the errors of bad set-up: `EndpointUnknown`, `PoolError`, `SandboxUnavailable`, `SettingError`, `JournalError`.
    """
    agents = pool or Pool.default()
    house = open_house(
        task, model=model, agent_model=agent_model or model, pool=agents, corpus=corpus, endpoints=endpoints,
        policy=policy,
    )  # fmt: skip

    def make(opened: House, recorder: Recorder) -> Drive:
        window = opened.main.context_tokens if opened.main else None
        form = choose_form(window) if prompt == "auto" else prompt
        setup = setup_of(agents, agent_model or model, corpus, form, cache=cache, policy=policy)
        return Run(Plan(task, mode, budget, seed, setup, within), opened, recorder, approve, grant).drive

    return events_of(house, journal, make)


async def solve(
    task: Task,
    *,
    mode: Mode = "dynamic",
    model: str = "local",
    agent_model: str | None = None,
    pool: Pool | None = None,
    budget: Budget = Budget(),
    corpus: Path | Corpus | None = None,
    endpoints: Endpoints | None = None,
    policy: Policy = Policy(),
    journal: Journal | None = None,
    seed: int = 0,
    prompt: PromptChoice = "auto",
    approve: Approve | None = None,
    grant: Grant | None = None,
    within: Scope | None = None,
    cache: bool = False,
    observe: Callable[[Event], None] | None = None,
) -> Result:
    """Let the main agent solve a task. Arguments and errors are those of `stream`; `observe` sees every event."""
    events = stream(
        task, mode=mode, model=model, agent_model=agent_model, pool=pool, budget=budget, corpus=corpus,
        endpoints=endpoints, policy=policy, journal=journal, seed=seed, prompt=prompt, approve=approve, grant=grant,
        within=within, cache=cache,
    )  # fmt: skip
    return await result_of(events, observe)


async def run_program(
    program: str,
    task: Task,
    *,
    agent_model: str = "local",
    pool: Pool | None = None,
    budget: Budget = Budget(),
    corpus: Path | Corpus | None = None,
    endpoints: Endpoints | None = None,
    policy: Policy = Policy(),
    journal: Journal | None = None,
    seed: int = 0,
    grant: Grant | None = None,
    cache: bool = False,
    observe: Callable[[Event], None] | None = None,
) -> Result:
    """Run a program written by hand through the same sandbox, Flow and journal; its value is the answer."""
    agents = pool or Pool.default()
    house = open_house(
        task, model=None, agent_model=agent_model, pool=agents, corpus=corpus, endpoints=endpoints, policy=policy
    )

    def make(opened: House, recorder: Recorder) -> Drive:
        setup = setup_of(agents, agent_model, corpus, "compact", cache=cache, policy=policy)
        run = Run(Plan(task, "forced", budget, seed, setup), opened, recorder, grant=grant)
        return lambda: run.drive_program(program)

    return await result_of(events_of(house, journal, make), observe)


async def check_program(program: str, *, pool: Pool | None = None, policy: Policy = Policy()) -> list[Finding]:
    """What is wrong with a program, as far as can be told without running it; also what the policy holds back."""
    pool = pool or Pool.default()
    contract = contract_of(permissions(pool, policy), pool.names, Task(question="?"))
    async with open_sandbox() as sandbox:
        return await sandbox.check(program, contract)


def setup_of(
    pool: Pool,
    agent_model: str,
    corpus: Path | Corpus | None,
    form: PromptForm,
    *,
    cache: bool,
    policy: Policy = Policy(),
) -> Setup:
    """What is written down of how a run was set up."""
    folder = str(Path(corpus).resolve()) if corpus is not None and not isinstance(corpus, Corpus) else None
    return Setup(pool=pool.spec, agent_model=agent_model, corpus=folder, form=form, cache=cache, policy=policy)


@asynccontextmanager
async def events_of(
    house: AbstractAsyncContextManager[House],
    journal: Journal | None,
    make: Callable[[House, Recorder], Drive],
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
                    await drive()

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


async def result_of(
    events: AbstractAsyncContextManager[AsyncIterator[Event]], observe: Callable[[Event], None] | None
) -> Result:
    """Follow a run to its end."""
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
