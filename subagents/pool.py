"""A pool: a fixed, ordered set of sub-agents, built in Python or read from a YAML file that a person can read."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

import yaml
from pydantic import ValidationError

from subagents.errors import PoolError, UnknownAgent
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
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
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
            data = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise PoolError(f"the pool file {where!r} is no YAML: {error}") from None
        if not isinstance(data, dict) or not isinstance(data.get("agents"), list):
            raise PoolError(f"the pool file {where!r} must be a mapping with a list under `agents`")
        for key in data:
            if key != "agents":
                raise PoolError(f"the pool file {where!r} has the unknown key {key!r}; the only one is `agents`")
        try:
            return cls([_agent(entry, index, where) for index, entry in enumerate(data["agents"], 1)])
        except PoolError as error:
            raise error if where in str(error) else PoolError(f"the pool file {where!r}: {error}") from None

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
            close = difflib.get_close_matches(name, self._agents, 1)
            meant = f" Did you mean {close[0]!r}?" if close else ""
            raise UnknownAgent(f"no agent {name!r} in the pool.{meant} There are: {', '.join(self._agents)}")
        return self._agents[name]


def _agent(entry: object, index: int, where: str) -> SubAgent:
    if not isinstance(entry, dict):
        raise PoolError(f"agent {index} of the pool file {where!r} must be a mapping with a name and a description")
    name = entry.get("name", f"number {index}")
    try:
        return SubAgent.model_validate(entry)
    except ValidationError as error:
        problem = error.errors()[0]
        field = ".".join(str(part) for part in problem["loc"])
        hint = _unknown_field(field) if problem["type"] == "extra_forbidden" else problem["msg"]
        raise PoolError(f"agent {name!r} of the pool file {where!r}, field {field!r}: {hint}") from None


def _unknown_field(field: str) -> str:
    known = list(SubAgent.model_fields)
    close = difflib.get_close_matches(field, known, 1)
    return f"unknown; did you mean {close[0]!r}?" if close else f"unknown; there are {', '.join(known)}"
