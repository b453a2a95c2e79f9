"""A few of the random frames and programs on every run of the suite; `python -m tests.sandbox.fuzz` for as many as you like."""

from __future__ import annotations

import pytest

from tests.sandbox.fuzz import runs

pytestmark = pytest.mark.anyio


async def test_frames_of_all_kinds_do_not_hurt_the_host() -> None:
    report = await runs.frames(1_000, 1)
    assert report.findings == []
    assert report.counts["ended: ProtocolError"] > 10


async def test_programs_of_all_kinds_end_well() -> None:
    report = await runs.programs(200, 1)
    assert report.findings == []
    assert report.counts["value"] > 10


async def test_several_zygotes_give_the_same_record() -> None:
    assert (await runs.zygotes(5, 1)).findings == []
