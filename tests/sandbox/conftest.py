"""The engines, and one sandbox for the tests of a module: starting a zygote takes a tenth of a second.

A test that takes `sandbox` runs against every engine in `ENGINES`. A module about one engine's own parts redefines `engine`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import pytest

from sandbox import Sandbox, open_sandbox

Engine = Callable[[], AbstractAsyncContextManager[Sandbox]]
ENGINES: dict[str, Engine] = {"zygote": open_sandbox}


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    return ENGINES[request.param]


@pytest.fixture(scope="module")
async def sandbox(engine: Engine) -> AsyncIterator[Sandbox]:
    async with engine() as opened:
        yield opened
