"""Shared fixtures: anyio's plugin on asyncio, no network, and the folder of real records where there is one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dynaflow.testing import loopback_only
from subagents import forget


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def no_request_leaves() -> Iterator[None]:
    """Every request of a test that would leave this machine fails, naming the address."""
    with loopback_only():
        yield


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real evaluation records; tests that need it are skipped where it is absent."""
    folder = os.environ.get("DYNAFLOW_DATA_DIR")
    if not folder or not Path(folder).is_dir():
        pytest.skip("DYNAFLOW_DATA_DIR does not name a folder with the evaluation records")
    return Path(folder)


@pytest.fixture(autouse=True)
def nothing_learnt() -> None:
    """What was learnt of an address is of no use to the server that gets the same port in the next test."""
    forget()
