"""Natural programs, as models write them, must run; both styles of the design overlap their calls alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox import Sandbox
from tests.sandbox.doors import CONTRACT, ScriptedDoor

pytestmark = pytest.mark.anyio
HERE = Path(__file__).parent
PROGRAMS = sorted((HERE / "programs").glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
async def test_natural_program_runs(sandbox: Sandbox, path: Path) -> None:
    program = path.read_text()
    assert await sandbox.check(program, CONTRACT) == []
    door = ScriptedDoor()
    outcome = await sandbox.run(program, CONTRACT, door)
    assert outcome.error is None, str(outcome.error)
    assert outcome.value is not None
    assert door.requests


SYNCHRONOUS = """
facts = [ask("searcher", f"Find: {q}") for q in ["director of Inception", "director of Tenet"]]
draft = ask("solver", "Is it the same person?", inputs={"facts": facts}, returns={"answer": bool, "why": str})
check = ask("verifier", "Does each claim follow from the facts?", inputs={"draft": draft, "facts": facts},
            returns={"verdict": ["supported", "unsupported"], "issues": list[str]})
if check.verdict == "unsupported":
    draft = ask("solver", "Answer again, mending the issues.", inputs={"facts": facts, "issues": check.issues},
                returns={"answer": bool, "why": str})
return draft.answer
"""
ASYNCHRONOUS = """
import asyncio
parts = ["a", "b", "c"]
async def branch(q):
    draft = await ask("solver", q)
    return await ask("verifier", "Solve it yourself, then compare.", inputs={"question": q, "draft": draft})
reviews = await asyncio.gather(*(branch(q) for q in parts))
"""


async def test_synchronous_example_takes_three_rounds(sandbox: Sandbox) -> None:
    door = ScriptedDoor()
    outcome = await sandbox.run(SYNCHRONOUS, CONTRACT, door)
    assert outcome.error is None, str(outcome.error)
    assert outcome.value is True
    assert [len(batch) for batch in door.batches] == [2, 1, 1]
    sources = {(source.path, source.call) for source in door.requests[3].sources}
    assert sources == {(("draft",), 3), (("facts", 0), 1), (("facts", 1), 2)}


async def test_asynchronous_example_takes_two_rounds(sandbox: Sandbox) -> None:
    door = ScriptedDoor(latency=0.05)
    outcome = await sandbox.run(ASYNCHRONOUS, CONTRACT, door)
    assert outcome.error is None, str(outcome.error)
    assert len(door.batches[0]) == 3
    assert len(door.requests) == 6
    assert outcome.value == ["verifier: Solve it yourself, then compare."] * 3
