"""Escape attempts against the language layer: none may get out, and the host must survive each."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox import Limits, Sandbox
from tests.sandbox.doors import CONTRACT, ScriptedDoor

pytestmark = pytest.mark.anyio
PAYLOADS = sorted((Path(__file__).parent / "payloads").glob("*.py"))


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: path.stem)
async def test_language_payload(sandbox: Sandbox, path: Path) -> None:
    program = path.read_text()
    outcome = await sandbox.run(program, CONTRACT, ScriptedDoor(), limits=Limits(wall_seconds=20))
    assert "ESCAPED" not in str(outcome.value)
    if program.splitlines()[0].endswith("must: refused at compile"):
        assert outcome.error is not None
        assert outcome.error.kind in ("PolicyViolation", "WorkflowSyntaxError")
    assert (await sandbox.run("return 1", CONTRACT, ScriptedDoor())).value == 1
