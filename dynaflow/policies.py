"""Policies: which agents a program may call, which modules it may import, and under which limits it runs.

A pool grants; what it does not say is granted whole. A run can narrow that by a policy of its own, and never widen it. The
programs that an agent itself writes (the `coder`'s) have a policy for each agent, which by default allows less than the
main agent's programs may. `permissions` brings all of this together before a run begins. What the pool grants and the run's
policy holds back can be given while the run goes on (`dynaflow.grants`).
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from dynaflow.errors import PolicyError
from sandbox import MODULES, Limits
from subagents import Pool, ProgramPolicySpec, SubAgent

Amount = Annotated[int | float, Field(gt=0, allow_inf_nan=False)]
_LIMITS: Mapping[str, type] = {field.name: type(field.default) for field in fields(Limits)}
_CONCURRENT = ("asyncio", "concurrent.futures")


class Policy(BaseModel):
    """What programs may do. What is left away is not narrowed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agents: tuple[str, ...] | None = None
    """Names of the agents that a program may call; None is all."""
    modules: tuple[str, ...] | None = None
    """Names of the modules that a program may import, of `sandbox.MODULES`; None is all."""
    limits: dict[str, Amount] = Field(default_factory=dict)
    """Name of a field of `sandbox.Limits` -> its value."""

    @field_validator("modules")
    @classmethod
    def _known_modules(cls, modules: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for name in modules or ():
            if name not in MODULES:
                raise ValueError(f"there is no module {name!r} in the workflow language{instead(name, MODULES)}")
        return modules

    @field_validator("limits")
    @classmethod
    def _known_limits(cls, limits: dict[str, int | float]) -> dict[str, int | float]:
        for name, value in limits.items():
            if name not in _LIMITS:
                raise ValueError(f"there is no limit {name!r}{instead(name, _LIMITS)}")
            if _LIMITS[name] is int and value != int(value):
                raise ValueError(f"the limit {name!r} is a whole number, not {value:g}")
        return {name: _LIMITS[name](value) for name, value in limits.items()}

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """Read a policy file (YAML). Raises `PolicyError` naming file and field."""
        import yaml

        try:
            data = yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {}
        except (OSError, ValueError, yaml.YAMLError, RecursionError) as error:
            raise PolicyError(f"cannot read the policy file {str(path)!r}: {error}") from None
        if not isinstance(data, dict):
            raise PolicyError(f"the policy file {str(path)!r} must be a mapping of agents, modules and limits")
        return _read(data, f"the policy file {str(path)!r}")

    def limited(self, usual: Limits = Limits()) -> Limits:
        """The sandbox's limits under this policy: the usual ones where it says nothing."""
        return replace(usual, **self.limits)  # type: ignore[arg-type]  # the names and types are checked above

    def __and__(self, other: Policy) -> Policy:
        """What both allow."""
        limits = {**self.limits, **other.limits}
        both = self.limits.keys() & other.limits.keys()
        return Policy(
            agents=_both(self.agents, other.agents),
            modules=_both(self.modules, other.modules),
            limits=limits | {name: min(self.limits[name], other.limits[name]) for name in both},
        )


OF_AGENTS = Policy(modules=tuple(m for m in MODULES if m not in _CONCURRENT), limits={"wall_seconds": 30.0})
"""What the programs of an agent may do at most where its pool says nothing of them: they call nobody, and are short."""


@dataclass(frozen=True, slots=True)
class Permissions:
    """What the programs of a run may do, with every name written out.

    granted: by the pool, to the main agent's programs. given: what of it holds when the run begins.
    own: agent -> what the programs may do that it writes itself.
    """

    granted: Policy
    given: Policy
    own: Mapping[str, Policy]


def permissions(pool: Pool, run: Policy = Policy()) -> Permissions:
    """What a pool grants, narrowed by the policy of a run.

    Raises `PolicyError` for names that are not there, and for a run's policy that allows more than the pool.
    """
    stated = _of_spec(pool.policy, "the pool's policy")
    granted = Policy(agents=pool.names, modules=MODULES) & stated
    _check_agents(run, pool, granted)
    _check_modules(run, granted)
    _check_limits(run, granted)
    usual = OF_AGENTS & Policy(modules=stated.modules, limits=stated.limits)
    own = {agent.name: _own(agent, usual, run) for agent in pool if agent.reply_through is not None}
    return Permissions(granted, granted & run, own)


def instead(name: str, known: Collection[str]) -> str:
    """What may have been meant, and what there is."""
    close = difflib.get_close_matches(name, known, 1)
    meant = f". Did you mean {close[0]!r}?" if close else "."
    return f"{meant} There is {', '.join(known)}"


def _own(agent: SubAgent, usual: Policy, run: Policy) -> Policy:
    """The policy of an agent's own programs. A run's policy holds for them too; agents they cannot call at all."""
    policy = usual
    if agent.policy is not None:
        stated = _of_spec(agent.policy, f"the policy of agent {agent.name!r}")
        modules = usual.modules if stated.modules is None else stated.modules
        policy = Policy(modules=modules, limits={**usual.limits, **stated.limits})
    return policy & Policy(modules=run.modules, limits=run.limits) & Policy(agents=())


def _of_spec(spec: ProgramPolicySpec, where: str) -> Policy:
    return _read({**spec.model_dump()}, where)


def _read(data: Mapping[str, object], where: str) -> Policy:
    try:
        return Policy.model_validate(data)
    except ValidationError as error:
        problem = error.errors()[0]
    path = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        raise PolicyError(f"{where}: there is no key {path!r}{instead(path, Policy.model_fields)}")
    raise PolicyError(f"{where}, field {path!r}: {problem['msg'].removeprefix('Value error, ')}")


def _check_agents(run: Policy, pool: Pool, granted: Policy) -> None:
    for name in run.agents or ():
        if name not in pool:
            raise PolicyError(f"the run's policy: there is no agent {name!r} in the pool{instead(name, pool.names)}")
        if name not in (granted.agents or ()):
            raise _wider(f"agent {name!r}", granted.agents)


def _check_modules(run: Policy, granted: Policy) -> None:
    for name in run.modules or ():
        if name not in (granted.modules or ()):
            raise _wider(f"module {name!r}", granted.modules)


def _check_limits(run: Policy, granted: Policy) -> None:
    most = asdict(granted.limited())
    for name, value in run.limits.items():
        if value > most[name]:
            raise PolicyError(
                f"the run's policy sets the limit {name!r} to {value:g}, and the pool grants {most[name]:g}: "
                f"a run can narrow what its pool grants, not widen it; lower it, or raise it in the pool's `policy`"
            )


def _wider(what: str, granted: Collection[str] | None) -> PolicyError:
    return PolicyError(
        f"the run's policy allows {what}, and the pool grants only {', '.join(granted or ()) or 'none'}: a run can narrow "
        f"what its pool grants, not widen it; leave it out, or add it to the pool's `policy`"
    )


def _both(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if one is None or other is None:
        return other if one is None else one
    return tuple(name for name in one if name in other)
