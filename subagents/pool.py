"""A pool: a fixed, ordered set of sub-agents, built in Python or read from a YAML file that a person can read."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from subagents.errors import PoolError, UnknownAgent
from subagents.messages import Sampling
from subagents.specs import SubAgent


class Pool:
    """The sub-agents that a run may call."""

    def __init__(self, agents: Sequence[SubAgent]) -> None:
        if not agents:
            raise PoolError("a pool needs at least one agent")
        self._agents = {agent.name: agent for agent in agents}
        if len(self._agents) < len(agents):
            names = [agent.name for agent in agents]
            twice = next(name for name in names if names.count(name) > 1)
            raise PoolError(f"two agents have the name {twice!r}; rename one")

    @classmethod
    def load(cls, path: str | Path) -> Pool:
        """Read a pool file. Raises `PoolError` naming file, agent and field."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise PoolError(f"cannot read the pool file {str(path)!r}: {error}") from None
        return cls._read(text, str(path))

    @classmethod
    def default(cls) -> Pool:
        """The pool that ships with the package."""
        resource = files("subagents") / "pools" / "default.yaml"
        return cls._read(resource.read_text(encoding="utf-8"), "default.yaml")

    @classmethod
    def _read(cls, text: str, where: str) -> Pool:
        try:
            return cls([_agent(entry, index) for index, entry in enumerate(_entries(text), 1)])
        except PoolError as error:
            raise PoolError(f"the pool file {where!r}: {error}") from None

    @property
    def names(self) -> tuple[str, ...]:
        """The agents' names, in order."""
        return tuple(self._agents)

    def __iter__(self) -> Iterator[SubAgent]:
        return iter(self._agents.values())

    def __len__(self) -> int:
        return len(self._agents)

    def __contains__(self, name: object) -> bool:
        return name in self._agents

    def __getitem__(self, name: str) -> SubAgent:
        """The agent of that name. Raises `UnknownAgent` naming what there is."""
        if name not in self._agents:
            raise UnknownAgent(f"no agent {name!r} in the pool{_instead(name, self._agents)}")
        return self._agents[name]


def _entries(text: str) -> list[object]:
    import yaml

    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise PoolError(f"it is no YAML: {error}") from None
    if not isinstance(data, dict):
        raise PoolError("it must be a mapping with a list under `agents`")
    for key in data:
        if key != "agents":
            raise PoolError(f"unknown key {key!r}{_instead(str(key), ['agents'])}")
    if not isinstance(data.get("agents"), list):
        raise PoolError("it must hold a list under `agents`")
    return list(data["agents"])


def _agent(entry: object, index: int) -> SubAgent:
    if not isinstance(entry, dict):
        raise PoolError(f"agent number {index} must be a mapping with a name and a description")
    try:
        return SubAgent.model_validate(entry)
    except ValidationError as error:
        problem = error.errors()[0]
    where = f"agent {entry['name']!r}" if "name" in entry else f"agent number {index}"
    path = [str(part) for part in problem["loc"]]
    if problem["type"] == "extra_forbidden":
        known = Sampling.model_fields if path[0] == "sampling" and len(path) > 1 else SubAgent.model_fields
        raise PoolError(f"{where}: unknown key {'.'.join(path)!r}{_instead(path[-1], known)}")
    field = f", field {'.'.join(path)!r}" if path else ""
    raise PoolError(f"{where}{field}: {problem['msg'].removeprefix('Value error, ')}")


def _instead(name: str, known: Iterable[str]) -> str:
    """What may have been meant, and what there is."""
    names = list(known)
    close = difflib.get_close_matches(name, names, 1)
    meant = f". Did you mean {close[0]!r}?" if close else "."
    return f"{meant} There is {', '.join(names)}"
