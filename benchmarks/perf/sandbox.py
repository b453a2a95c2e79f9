"""What the walls cost: starting a program, four calls, programs a second, memory; beside other engines on the same programs.

    python -m benchmarks.perf.sandbox [--rounds N] [--json FILE]

Everything is measured in turn, round after round, so that a busy machine hurts all alike. Printed are medians, and the ratio
to a reference of the same run; only ratios compare across machines. Between two programs at a quiet pace the sandbox is left
alone until its next child is ready, as between the calls of a model; back to back it is not.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import anyio
from rich.console import Console
from rich.table import Column, Table

from benchmarks.perf.engines import TASK, Run, ask, engines, fresh_code
from sandbox import Contract, Function, Parameter, Reply, Request, Sandbox, open_sandbox

HELLO = '"hello"'
NINE_LINES = """
facts = [ask("solver", f"Find: {q}") for q in ["director of Inception", "director of Tenet"]]
draft = ask("solver", "Is it the same person?", inputs={"facts": facts})
check = ask("critic", "Does each claim follow from the facts?", inputs={"draft": draft})
lines = []
for fact in facts:
    lines.append(fact.upper())
if "unsupported" in check:
    lines.append(check)
{"answer": draft, "lines": lines}
""".strip()
OURS = "sandbox, a child ahead"
QUIET_SECONDS = 0.02
BURST = 200
IN_FLIGHT = 4
BURSTS = 5
PROGRAMS = Path(__file__).resolve().parent.parent.parent / "tests" / "sandbox" / "programs"
CONTRACT = Contract(
    (
        Function(
            "ask",
            (
                Parameter("agent", "text"),
                Parameter("instruction", "text"),
                Parameter("inputs", required=False),
                Parameter("returns", "shape", required=False),
                Parameter("label", "text", required=False),
            ),
        ),
    ),
    {"task": TASK},
    {"CallFailed": None, "CallTimeout": "CallFailed", "BudgetExceeded": None},
)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    unit: str
    value: float | None
    ratio: float | None = None
    aim: str = ""
    note: str = ""


class EchoDoor:
    """Answers every call at once, or holds it for ever."""

    def __init__(self, hold: bool = False) -> None:
        self._hold = hold

    def admit(self, batch: Sequence[Request]) -> Sequence[Callable[[], Awaitable[Reply]]]:
        return [self._serving(request) for request in batch]

    def deadline(self, number: int, seconds: float) -> Callable[[], Awaitable[None]]:
        return partial(anyio.sleep, seconds)

    def waiting(self, outstanding: Collection[int]) -> None:
        """Nobody replays this."""

    def _serving(self, request: Request) -> Callable[[], Awaitable[Reply]]:
        async def serve() -> Reply:
            if self._hold:
                await anyio.sleep_forever()
            return Reply(ask(request.arguments["agent"], request.arguments["instruction"]))

        return serve


async def measure(rounds: int) -> list[Row]:
    """Everything, as rows."""
    async with open_sandbox() as sandbox:
        with engines() as others:
            rows = await _starts(sandbox, others, rounds)
            rows += await _bursts(sandbox)
            rows += await _natural(sandbox, others)
        rows += await _memory(sandbox)
    return [Row("isolation level", "", float(sandbox.level)), *rows]


async def _starts(sandbox: Sandbox, others: dict[str, Run | str], rounds: int) -> list[Row]:
    """(a), (b) and (e): both programs in every engine, in turn, at a quiet pace."""
    programs = {"hello": HELLO, "nine lines, four calls": NINE_LINES}
    times: dict[tuple[str, str], list[float]] = {}
    for _ in range(rounds + 1):
        for what, program in programs.items():
            await anyio.sleep(QUIET_SECONDS)
            times.setdefault((what, OURS), []).append(await _seconds(sandbox, program))
            for name, run in others.items():
                if not isinstance(run, str):
                    times.setdefault((what, name), []).append(_seconds_of(run, program))
    rows = []
    for what, aim in (("hello", "1.2 ms, 1/30"), ("nine lines, four calls", "4 ms")):
        fresh = statistics.median(times[what, "fresh python + runtime"][1:])
        for name in (OURS, *others):
            absent = others.get(name)
            if isinstance(absent, str):
                rows.append(Row(f"{what}: {name}", "ms", None, note=absent))
                continue
            middle = statistics.median(times[what, name][1:])
            rows.append(Row(f"{what}: {name}", "ms", middle * 1e3, middle / fresh, aim if name == OURS else ""))
    return rows


async def _seconds(sandbox: Sandbox, program: str) -> float:
    started = time.perf_counter()
    outcome = await sandbox.run(program, CONTRACT, EchoDoor())
    seconds = time.perf_counter() - started
    assert outcome.error is None, str(outcome.error)
    return seconds


def _seconds_of(run: Run, program: str) -> float:
    started = time.perf_counter()
    run(program)
    return time.perf_counter() - started


async def _bursts(sandbox: Sandbox) -> list[Row]:
    """(c): hellos a second, several in flight, against forks a second of a process as large as the zygote."""
    ours, bare = [], []
    for _ in range(BURSTS):
        ours.append(BURST / await _burst(sandbox))
        bare.append(_forks_a_second())
    rate, forks = statistics.median(ours), statistics.median(bare)
    return [
        Row("bare fork + exit, as large as the zygote", "a second", forks, 1.0),
        Row("hello, back to back", "a second", rate, rate / forks, "0.7 of bare"),
    ]


async def _burst(sandbox: Sandbox) -> float:
    left = iter(range(BURST))

    async def work() -> None:
        for _ in left:
            await sandbox.run(HELLO, CONTRACT, EchoDoor())

    started = time.perf_counter()
    async with anyio.create_task_group() as group:
        for _ in range(IN_FLIGHT):
            group.start_soon(work)
    return time.perf_counter() - started


_FORKS = """
import gc, os, time
gc.freeze()
started, running = time.perf_counter(), 0
for _ in range({count}):
    if os.fork() == 0:
        os._exit(0)
    running += 1
    if running == {in_flight}:
        os.wait()
        running -= 1
while running:
    os.wait()
    running -= 1
print({count} / (time.perf_counter() - started))
"""


def _forks_a_second() -> float:
    code = fresh_code(HELLO) + _FORKS.format(count=BURST, in_flight=IN_FLIGHT)
    command = [sys.executable, "-s", "-P", "-S", "-B", "-c", code]
    return float(subprocess.run(command, check=True, env={"PYTHONHASHSEED": "0"}, capture_output=True).stdout)  # noqa: S603


async def _memory(sandbox: Sandbox) -> list[Row]:
    """(d): private memory of a child whose program waits for a call: the largest among the zygote's children.

    To be called when no other engine has processes below this one.
    """
    what, aim = "private memory of a waiting child", "3 MB"
    async with anyio.create_task_group() as group:
        group.start_soon(sandbox.run, 'ask("solver", "q") + ""', CONTRACT, EchoDoor(hold=True))
        await anyio.sleep(0.3)
        try:
            largest = max(map(_private_bytes, _leaves(os.getpid())), default=0)
        except OSError as error:
            return [Row(what, "MB", None, aim=aim, note=f"cannot be read ({error.strerror}): run it as root")]
        finally:
            group.cancel_scope.cancel()
    return [Row(what, "MB", largest / 1e6, aim=aim)]


def _leaves(pid: int) -> list[int]:
    """The processes below this one that have none below themselves."""
    children = [
        int(child) for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()
    ]
    return [leaf for child in children for leaf in (_leaves(child) or [child])]


def _private_bytes(pid: int) -> int:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(int(kilobytes) * 1024 for kilobytes in re.findall(r"Private_\w+:\s+(\d+)", text))


async def _natural(sandbox: Sandbox, others: dict[str, Run | str]) -> list[Row]:
    """How many natural programs each engine runs without an error; the fresh interpreters are the sandbox without its walls."""
    paths = sorted(PROGRAMS.rglob("*.py"))
    if not paths:
        return [Row("natural programs", "", None, note=f"no programs in {PROGRAMS}")]
    texts = [path.read_text() for path in paths]
    ran = [await sandbox.run(text, CONTRACT, EchoDoor()) for text in texts]
    rows = [_share("sandbox", sum(outcome.error is None for outcome in ran), len(texts))]
    for name in ("smolagents, in process", "pydantic-monty, warm worker"):
        run = others[name]
        if not isinstance(run, str):
            rows.append(_share(name, sum(_runs(run, text) for text in texts), len(texts)))
    return rows


def _share(name: str, ran: int, count: int) -> Row:
    return Row(f"natural programs that run: {name}", f"of {count}", float(ran), ran / count)


def _runs(run: Run, program: str) -> bool:
    with suppress(Exception):
        run(program)
        return True
    return False


def show(rows: Sequence[Row]) -> None:
    """Print the table."""
    columns = (Column("what", no_wrap=True), "median", "", "ratio", "aim", "note")
    table = Table(*columns, title="ratios: to a fresh python + runtime, or as said")
    for row in rows:
        value = "-" if row.value is None else f"{row.value:.3g}"
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}" if row.ratio > 0.2 else f"1/{1 / row.ratio:.0f}"
        table.add_row(row.what, value, row.unit, ratio, row.aim, row.note)
    Console().print(table)


def main() -> None:
    """Measure, print, and write the figures where they are wanted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.perf.sandbox")
    parser.add_argument("--rounds", type=int, default=40, help="times that each program is started in each engine")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    chosen = parser.parse_args()
    rows = anyio.run(measure, chosen.rounds)
    show(rows)
    if chosen.json is not None:
        chosen.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
