"""Pool files: what is read, and what is said about each thing that is wrong with one."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import ValidationError

from subagents import EndpointSpec, Pool, PoolError, Price, Sampling, SubAgent, UnknownAgent

GOOD = """
agents:
  - name: solver
    description: solves
    model: http://127.0.0.1:1/v1#m
    sampling: {temperature: 0.5, max_tokens: 10}
    reason_first: true
  - {name: finder, description: finds, model: none, reply_through: search, timeout: 5}
"""


def load(folder: Path, text: str) -> Pool:
    path = folder / "pool.yaml"
    path.write_text(text, encoding="utf-8")
    return Pool.load(path)


def test_a_pool_is_read_in_order(tmp_path: Path) -> None:
    pool = load(tmp_path, GOOD)
    assert pool.names == ("solver", "finder")
    assert len(pool) == 2
    assert [agent.name for agent in pool] == ["solver", "finder"]
    assert "solver" in pool
    assert pool["solver"].sampling == Sampling(temperature=0.5, max_tokens=10)
    assert pool["finder"].timeout == 5


def test_the_default_pool() -> None:
    pool = Pool.default()
    assert pool.names == ("solver", "decomposer", "searcher", "reader", "coder", "verifier", "critic", "synthesizer")
    assert (pool["searcher"].model, pool["searcher"].reply_through) == ("none", "search")
    assert pool["coder"].reply_through == "python"
    assert {agent.name for agent in pool if agent.reason_first} >= {"solver", "verifier"}
    assert all(agent.instructions for agent in pool if agent.model != "none")
    assert all(len(agent.description.splitlines()) == 1 for agent in pool)


def test_an_unknown_agent() -> None:
    with pytest.raises(
        UnknownAgent, match=r"no agent 'solvr' in the pool. Did you mean 'solver'\? There is solver, decomposer"
    ):
        Pool.default()["solvr"]
    with pytest.raises(UnknownAgent, match=r"no agent 'x' in the pool. There is"):
        Pool.default()["x"]


AGENT = "agents:\n  - name: a\n    description: d\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "must be a mapping with a list under `agents`"),
        ("agents: 3", "a list under `agents`"),
        ("agents: []", "at least one agent"),
        ("agent: []", "unknown key 'agent'. Did you mean 'agents'?"),
        ("agents: [solver]", "agent number 1 must be a mapping"),
        ("agents: [", "it is no YAML"),
        ("agents: 2026-99-99", "it is no YAML"),
        ("[" * 5000, "it is no YAML"),
        ("agents:\n  - description: d", "agent number 1, field 'name': Field required"),
        (AGENT + "    modle: x", "agent 'a': unknown key 'modle'. Did you mean 'model'?"),
        (AGENT + "    sampling: {temprature: 1}", "unknown key 'sampling.temprature'. Did you mean 'temperature'?"),
        (
            AGENT + "    sampling: {temperature: hot}",
            "agent 'a', field 'sampling.temperature': Input should be a valid number",
        ),
        (AGENT + "    timeout: -1", "field 'timeout': Input should be greater than 0"),
        (AGENT + "    timeout: .inf", "field 'timeout': Input should be a finite number"),
        (AGENT + "    model: none", "agent 'a': an agent with `model: none` needs a tool"),
        (AGENT + "  - name: a\n    description: d\n", "two agents have the name 'a'"),
        ("agents: [{name: Big One, description: d}]", "field 'name': a name is lower-case letters"),
        ("agents: [{name: yes, description: d}]", "field 'name': Input should be a valid string"),
        ("agents: [{name: a, description: ''}]", "field 'description'"),
        ("agents: [{name: a, description: |\n one\n two}]", "it is no YAML"),
        ('agents: [{name: a, description: "one\\ntwo"}]', "field 'description'"),
        (AGENT + "    fallback: {agent: b}", "agent 'a', field 'fallback.agent': no agent 'b'. There is a"),
        (AGENT + "    fallback: {agnt: b}", "unknown key 'fallback.agnt'. Did you mean 'agent'?"),
        (AGENT + "    fallback: {agent: a}", "the fall-backs of 'a' lead back to it: a -> a; break the ring"),
        (AGENT + "    retries: -1", "field 'retries': Input should be greater than or equal to 0"),
        (AGENT + "endpoints: [x]", "`endpoints` must be a mapping"),
        (AGENT + "endpoints: {x: local}", "endpoint 'x' must be a mapping with an address"),
        (AGENT + "endpoints: {x: {adress: local}}", "endpoint 'x', field 'address': Field required"),
        (AGENT + "endpoints: {local: {address: local}}", "endpoint 'local': a name is lower-case letters"),
        (
            AGENT + "endpoints: {x: {address: local, price: {input: 1, output: 1, cached: 1}}}",
            "endpoint 'x': unknown key 'price.cached'. There is input, output",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(PoolError) as failure:
        load(tmp_path, text)
    assert says in str(failure.value)
    assert "pool.yaml" in str(failure.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(PoolError, match=r"cannot read the pool file .*nowhere.yaml"):
        Pool.load(tmp_path / "nowhere.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PoolError, match="cannot read"):
        Pool.load(tmp_path / "binary.yaml")
    with pytest.raises(PoolError, match="cannot read"):
        Pool.load(tmp_path)


def test_a_spec_cannot_be_changed() -> None:
    agent = SubAgent(name="a", description="d")
    with pytest.raises(ValidationError):
        agent.name = "b"  # type: ignore[misc]


def test_a_pool_cannot_be_changed() -> None:
    agents = [SubAgent(name="a", description="d")]
    pool = Pool(agents)
    agents.clear()
    with pytest.raises(TypeError):
        pool["b"] = pool["a"]  # type: ignore[index]
    with pytest.raises(AttributeError):
        pool.names = ("b",)  # type: ignore[misc]
    assert pool.names == ("a",)


NAMED = """
endpoints:
  cheap:
    address: http://127.0.0.1:1/v1,http://127.0.0.1:2/v1#m
    price: {input: 0.15, output: 0.6}
    concurrency: 16
agents:
  - {name: a, description: d, model: cheap, fallback: {agent: b}}
  - {name: b, description: d, model: none, reply_through: search}
  - {name: c, description: d, fallback: {model: local}}
"""


def test_endpoints_with_a_name(tmp_path: Path) -> None:
    pool = load(tmp_path, NAMED)
    cheap = pool.endpoint("cheap")
    assert cheap == pool.endpoints["cheap"]
    assert (cheap.concurrency, cheap.price) == (16, Price(input=Decimal("0.15"), output=Decimal("0.6")))
    assert pool.endpoint("local:small") == EndpointSpec(address="local:small")


def test_a_part_of_a_pool_falls_back_on_itself_only(tmp_path: Path) -> None:
    pool = load(tmp_path, NAMED)
    part = pool.only(lambda agent: agent.reply_through is None)
    assert part.names == ("a", "c")
    assert part["a"].fallback is None
    assert part["c"].fallback == pool["c"].fallback
    assert part.endpoints == pool.endpoints
    assert pool.only(lambda _: False).names == pool.names
