"""One sandbox for the tests of a module: starting a zygote takes a tenth of a second."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sandbox import ZygoteSandbox, open_sandbox


@pytest.fixture(scope="module")
async def sandbox() -> AsyncIterator[ZygoteSandbox]:
    async with open_sandbox() as opened:
        yield opened
