"""Opens what a run needs before anything is spent: the sandbox, the endpoints of all agents, and their tools."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from dynaflow.errors import SettingError
from dynaflow.events import AgentRecord
from dynaflow.policies import Permissions, Policy, permissions
from dynaflow.python_tool import PythonTool
from dynaflow.staff import Staff
from dynaflow.task import Task
from sandbox import Sandbox, open_sandbox
from subagents import NO_MODEL, Corpus, Endpoint, Endpoints, Pool, SubAgent, Tool, search_tool, stand_ins
from subagents.tools import memoized

_TOOLS = ("search", PythonTool.name)


@dataclass(frozen=True, slots=True)
class House:
    """All that is open during a run."""

    main: Endpoint | None
    staff: Staff
    sandbox: Sandbox
    permissions: Permissions

    @property
    def agents(self) -> tuple[AgentRecord, ...]:
        """The pool as the journal records it."""
        endpoints = self.staff.endpoints
        return tuple(
            AgentRecord(
                name=agent.name,
                description=agent.description,
                model=endpoints[agent.name].name if agent.name in endpoints else None,
            )
            for agent in self.staff.pool
        )


@asynccontextmanager
async def open_house(
    task: Task,
    *,
    model: str | None,
    agent_model: str,
    pool: Pool,
    corpus: Path | Corpus | None,
    endpoints: Endpoints | None = None,
    policy: Policy = Policy(),
) -> AsyncIterator[House]:
    """Open everything, and close it again at the end.

    model: endpoint string of the main agent; None where there is none (a program written by hand).
    endpoints: those of the caller, which stay open; None opens some for this run.
    policy: of the run, which narrows what the pool grants.
    Raises the errors of bad set-up: `EndpointUnknown`, `PoolError`, `SandboxUnavailable`, `SettingError`.
    """
    passages = _corpus(task, corpus)
    allowed = permissions(pool, policy)
    pool = _useful(pool, passages)
    _check_tools(pool)
    async with Endpoints() if endpoints is None else nullcontext(endpoints) as opener, open_sandbox() as sandbox:

        async def opened(name: str | None) -> Endpoint:
            return await opener.open(pool.endpoint(name or agent_model))

        pool, pythons = _with_pythons(pool, sandbox, allowed)
        tools = {"search": memoized(search_tool(passages)), **pythons}
        main = await opened(model) if model is not None else None
        asked = {agent.name: await opened(agent.model) for agent in pool if agent.model != NO_MODEL}
        replacing = {agent.name: await stand_ins(agent, pool, opened) for agent in pool}
        yield House(main, Staff(pool, asked, tools, replacing), sandbox, allowed)


def _corpus(task: Task, corpus: Path | Corpus | None) -> Corpus:
    if isinstance(corpus, Corpus):
        return corpus
    return Corpus.from_folder(corpus) if corpus is not None else Corpus.from_text(task.context)


def _useful(pool: Pool, passages: Corpus) -> Pool:
    """The pool without the agents that search, where there is nothing to search: they could only fail."""
    return pool.only(lambda agent: bool(len(passages)) or agent.reply_through != "search")


def _check_tools(pool: Pool) -> None:
    for agent in pool:
        if agent.reply_through not in (None, *_TOOLS):
            there = ", ".join(_TOOLS)
            raise SettingError(
                f"agent {agent.name!r} replies through the unknown tool {agent.reply_through!r}; there is {there}"
            )
        if agent.policy is not None and agent.reply_through != PythonTool.name:
            raise SettingError(
                f"agent {agent.name!r} has a policy and writes no programs: take the policy away, or set reply_through: python"
            )


def _with_pythons(pool: Pool, sandbox: Sandbox, allowed: Permissions) -> tuple[Pool, dict[str, Tool]]:
    """Each agent that writes programs with a tool of its own, which keeps them to its policy."""
    tools: dict[str, Tool] = {}
    agents: list[SubAgent] = []
    for agent in pool:
        if agent.reply_through == PythonTool.name:
            own = f"{PythonTool.name} of {agent.name}"
            tools[own] = memoized(PythonTool(sandbox, agent.name, allowed.own[agent.name]))
            agent = agent.model_copy(update={"reply_through": own, "policy": None})
        agents.append(agent)
    return Pool(agents, pool.endpoints, pool.policy), tools
