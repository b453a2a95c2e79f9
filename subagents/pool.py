"""A pool: a fixed, ordered set of sub-agents, built in Python or read from a YAML file that a person can read."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from pydantic import Field, ValidationError

from subagents.errors import PoolError, UnknownAgent
from subagents.messages import Frozen, Sampling
from subagents.policy_specs import PolicySpec, ProgramPolicySpec
from subagents.prices import Price
from subagents.specs import NO_MODEL, EndpointSpec, Fallback, SubAgent

_KEYS = ("agents", "endpoints", "policy")


class PoolSpec(Frozen):
    """A pool as plain data."""

    agents: tuple[SubAgent, ...]
    endpoints: dict[str, EndpointSpec] = Field(default_factory=dict)
    policy: PolicySpec = PolicySpec()


class Pool:
    """The sub-agents that a run may call."""

    def __init__(
        self,
        agents: Sequence[SubAgent],
        endpoints: Mapping[str, EndpointSpec] | None = None,
        policy: PolicySpec = PolicySpec(),
    ) -> None:
        if not agents:
            raise PoolError("a pool needs at least one agent")
        self._agents = {agent.name: agent for agent in agents}
        if len(self._agents) < len(agents):
            names = [agent.name for agent in agents]
            twice = next(name for name in names if names.count(name) > 1)
            raise PoolError(f"two agents have the name {twice!r}; rename one")
        self._endpoints = dict(endpoints or {})
        for agent in agents:
            self._check_fallback(agent)
        self.policy = policy
        """What the programs of a run may do."""
        for name in policy.agents or ():
            if name not in self._agents:
                raise PoolError(f"policy, field 'agents': no agent {name!r} in the pool{_instead(name, self._agents)}")

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
            data = _mapping(text)
            endpoints = dict(_endpoint(name, entry) for name, entry in _named(data).items())
            return cls(
                [_agent(entry, index) for index, entry in enumerate(_entries(data), 1)], endpoints, _policy(data)
            )
        except PoolError as error:
            raise PoolError(f"the pool file {where!r}: {error}") from None

    @classmethod
    def of(cls, spec: PoolSpec) -> Pool:
        """The pool that was written down so."""
        return cls(spec.agents, spec.endpoints, spec.policy)

    @property
    def spec(self) -> PoolSpec:
        """All of it as data."""
        return PoolSpec(agents=tuple(self), endpoints=dict(self._endpoints), policy=self.policy)

    @property
    def names(self) -> tuple[str, ...]:
        """The agents' names, in order."""
        return tuple(self._agents)

    @property
    def endpoints(self) -> Mapping[str, EndpointSpec]:
        """The endpoints that have a name in this pool."""
        return self._endpoints

    def endpoint(self, text: str) -> EndpointSpec:
        """The endpoint of that name, else the one that the endpoint string says."""
        return self._endpoints.get(text) or EndpointSpec(address=text.strip())

    def only(self, keep: Callable[[SubAgent], bool]) -> Pool:
        """The agents that `keep` says, or all where it says none; a fall-back that is left out is forgotten."""
        names = {agent.name for agent in self if keep(agent)} or set(self.names)
        kept = [agent for agent in self if agent.name in names]
        lone = {"fallback": None}
        return Pool(
            [
                agent.model_copy(update=lone)
                if agent.fallback and (agent.fallback.agent or agent.name) not in names
                else agent
                for agent in kept
            ],
            self._endpoints,
            self.policy.among(names),
        )

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

    def _check_fallback(self, agent: SubAgent) -> None:
        """Follow the fall-backs of an agent. Raises `PoolError` for one that is not there, or that leads back."""
        seen = [agent.name]
        while agent.fallback is not None and (name := agent.fallback.agent) is not None:
            if name not in self._agents:
                there = _instead(name, self._agents)
                raise PoolError(f"agent {agent.name!r}, field 'fallback.agent': no agent {name!r}{there}")
            if name in seen:
                raise PoolError(
                    f"the fall-backs of {name!r} lead back to it: {' -> '.join([*seen, name])}; break the ring"
                )
            seen.append(name)
            agent = self._agents[name]


def _mapping(text: str) -> dict[object, object]:
    import yaml

    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise PoolError(f"it is no YAML: {error}") from None
    if not isinstance(data, dict):
        raise PoolError("it must be a mapping with a list under `agents`")
    for key in data:
        if key not in _KEYS:
            raise PoolError(f"unknown key {key!r}{_instead(str(key), _KEYS)}")
    return data


def _entries(data: dict[object, object]) -> list[object]:
    agents = data.get("agents")
    if not isinstance(agents, list):
        raise PoolError("it must hold a list under `agents`")
    return agents


def _named(data: dict[object, object]) -> dict[object, object]:
    endpoints = data.get("endpoints") or {}
    if not isinstance(endpoints, dict):
        raise PoolError("`endpoints` must be a mapping of names to endpoints")
    return endpoints


def _endpoint(name: object, entry: object) -> tuple[str, EndpointSpec]:
    where = f"endpoint {name!r}"
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_-]*", name) or name in ("local", NO_MODEL):
        raise PoolError(f"{where}: a name is lower-case letters, digits, _ and -, and neither `local` nor `none`")
    if not isinstance(entry, dict):
        raise PoolError(f"{where} must be a mapping with an address")
    try:
        return name, EndpointSpec.model_validate(entry)
    except ValidationError as error:
        raise _worded(error, where, EndpointSpec, {"price": Price}) from None


def _policy(data: dict[object, object]) -> PolicySpec:
    entry = data.get("policy") or {}
    if not isinstance(entry, dict):
        raise PoolError("`policy` must be a mapping of agents, modules and limits")
    try:
        return PolicySpec.model_validate(entry)
    except ValidationError as error:
        raise _worded(error, "policy", PolicySpec, {}) from None


def _agent(entry: object, index: int) -> SubAgent:
    if not isinstance(entry, dict):
        raise PoolError(f"agent number {index} must be a mapping with a name and a description")
    try:
        return SubAgent.model_validate(entry)
    except ValidationError as error:
        where = f"agent {entry['name']!r}" if "name" in entry else f"agent number {index}"
        raise _worded(
            error, where, SubAgent, {"sampling": Sampling, "fallback": Fallback, "policy": ProgramPolicySpec}
        ) from None


def _worded(error: ValidationError, where: str, model: type[Frozen], inner: Mapping[str, type[Frozen]]) -> PoolError:
    problem = error.errors()[0]
    path = [str(part) for part in problem["loc"]]
    if problem["type"] == "extra_forbidden":
        known = (inner.get(path[0], model) if len(path) > 1 else model).model_fields
        return PoolError(f"{where}: unknown key {'.'.join(path)!r}{_instead(path[-1], known)}")
    field = f", field {'.'.join(path)!r}" if path else ""
    return PoolError(f"{where}{field}: {problem['msg'].removeprefix('Value error, ')}")


def _instead(name: str, known: Iterable[str]) -> str:
    """What may have been meant, and what there is."""
    names = list(known)
    close = difflib.get_close_matches(name, names, 1)
    meant = f". Did you mean {close[0]!r}?" if close else "."
    return f"{meant} There is {', '.join(names)}"
