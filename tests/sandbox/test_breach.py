"""Raw Python behind the walls: attempts to get out with the language layer assumed broken, at both levels, as root and as nobody."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAYLOADS = {
    path.stem: path.read_text().splitlines()[0] for path in sorted((Path(__file__).parent / "breach").glob("*.py"))
}
SETTINGS = {
    "level 3": (3, []),
    "level 2": (2, ["no-namespaces"]),
    "level 3 as nobody": (3, ["nobody"]),
    "level 2 as nobody": (2, ["nobody", "no-namespaces"]),
}
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")


def contained(kind: str, text: str) -> bool:
    return kind == "SandboxViolation" or (kind == "finished" and text.startswith("contained"))


MUST: dict[str, Callable[[str, str], bool]] = {
    "killed by seccomp (SIGSYS) or an error; result must not start with BREACH": contained,
    "MemoryError or killed": lambda kind, text: (
        "MemoryError" in text or kind == "LimitExceeded"  # on a busy machine the processor's limit comes first
    ),
    "limit: cpu": lambda kind, text: kind == "LimitExceeded" and "processor seconds" in text,
    "limit: wall": lambda kind, text: kind == "LimitExceeded" and "longer than" in text,
    "goes to /dev/null": lambda kind, text: (kind, text) == ("finished", "contained"),
    "limit: frame; host memory stays small": lambda kind, text: kind == "ProtocolError" and "over the limit" in text,
    "run ends with a protocol error; host alive": lambda kind, text: kind == "ProtocolError",
    "limit: calls; host does not block on write": lambda kind, text: kind == "ProtocolError" and "outstanding" in text,
    "an error or a crash of the child; host alive": lambda kind, text: (
        kind != "finished" or text.startswith("contained")
    ),
}


@pytest.fixture(scope="module", params=SETTINGS)
def report(request: pytest.FixtureRequest) -> dict[str, object]:
    level, arguments = SETTINGS[request.param]
    if "nobody" in arguments and os.geteuid() != 0:
        pytest.skip("only root can become nobody; this test runs as an ordinary user already")
    driver = subprocess.run(
        [sys.executable, "-P", "-m", "tests.sandbox.breach_driver", *arguments],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert driver.returncode == 0, driver.stderr
    found = json.loads(driver.stdout)
    if (found["level"], level) == (2, 3):
        pytest.skip("level 3 cannot be reached here")
    assert found["level"] == level
    return found


@pytest.mark.parametrize("payload", PAYLOADS)
def test_payload_meets_its_demand(report: dict[str, object], payload: str) -> None:
    demand = PAYLOADS[payload].partition("| must: ")[2]
    kind, text = report["fates"][payload]
    assert MUST[demand](kind, text), (kind, text)


def test_the_host_and_its_zygote_survive(report: dict[str, object]) -> None:
    assert report["after"] == ["finished", "2"]
    assert report["peak"] < 150 * 2**20


def test_a_refused_call_is_named(report: dict[str, object]) -> None:
    assert "(execve)" in report["fates"]["11_exec_shell"][1]
    assert "(io_uring_setup)" in report["fates"]["21_io_uring"][1]
    assert "(setitimer)" in report["fates"]["25_disarm_timer"][1]
