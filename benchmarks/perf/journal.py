"""What journal and budgets cost: processor time a call, against the raw client that makes the same requests.

    python -m benchmarks.perf.journal

One program asks its calls, so many at a time, from a loopback server in a process of its own. It runs as it always does, and
once more with the writes of the journal left out: the difference is what the journal costs. The reference is the client
alone making the very requests, as many at a time. All three are measured in turn in each round; printed are medians of the
user and system seconds of this process, and what the journal's own thread took of them.
"""

from __future__ import annotations

import resource
import statistics
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

import anyio

from benchmarks.perf.overlap import server_process
from dynaflow import Budget, Event, Journal, Task
from dynaflow.journal import new_run_id
from dynaflow.recorder import Recorder
from dynaflow.run import Plan, Run
from dynaflow.solving import setup_of
from dynaflow.staffing import House, open_house
from subagents import ChatRequest, Corpus, Endpoint, Message, Passage, Pool

CALLS = 400
AT_ONCE = 32
ROUNDS = 9

PROGRAM = f"""
replies = []
for start in range(0, {CALLS}, {AT_ONCE}):
    numbers = range(start, min(start + {AT_ONCE}, {CALLS}))
    replies += gather(*[ask("solver", f"Say the number {{number}} in words.") for number in numbers])
return len(replies)
"""


class Unwritten(Recorder):
    """A recorder that leaves the journal's writes out."""

    async def record(self, event: Event, *, awaited: bool = True) -> None:
        self.show(event)


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor seconds a call: of the process, and of the journal's thread in it."""

    process: float
    writer: float


async def program(house: House, recorder: Recorder) -> None:
    """Run the program once, from its check to its answer."""
    budget = Budget(calls=None, tokens=None, seconds=None)
    setup = setup_of(house.staff.pool, "local", None, "compact", cache=False)
    run = Run(Plan(Task(question="?"), "forced", budget, 0, setup), house, recorder)
    await run.drive_program(PROGRAM)


async def raw(endpoint: Endpoint, requests: list[ChatRequest]) -> None:
    """The same requests by the client alone, as many at a time."""
    for start in range(0, len(requests), AT_ONCE):
        async with anyio.create_task_group() as group:
            for request in requests[start : start + AT_ONCE]:
                group.start_soon(partial(endpoint.chat, request, timeout=60))


def requests_of(instructions: str) -> list[ChatRequest]:
    """The requests that the program's calls make."""
    system = Message(role="system", content=instructions)
    asked = [Message(role="user", content=f"Say the number {number} in words.") for number in range(CALLS)]
    return [ChatRequest(messages=(system, each)) for each in asked]


async def cost_of(work: Callable[[], Awaitable[None]], journal: Journal) -> Cost:
    """What the work takes."""
    before, writer = _cpu(), journal.writer_seconds()
    await work()
    return Cost((_cpu() - before) / CALLS, (journal.writer_seconds() - writer) / CALLS)


async def measure() -> None:
    """Measure all three in turn and print the table."""
    pool = Pool.default()
    corpus = Corpus([Passage("1", "", "nothing")])
    rounds = []
    with (
        tempfile.TemporaryDirectory() as folder,
        server_process() as server,
        Journal.open(f"{folder}/j.db") as journal,
    ):
        async with open_house(Task(question="?"), model=None, agent_model=server, pool=pool, corpus=corpus) as house:
            endpoint, requests = house.staff.endpoints["solver"], requests_of(pool["solver"].instructions)
            for _ in range(ROUNDS + 1):
                made = [kind(new_run_id(), journal, lambda _: None) for kind in (Unwritten, Recorder)]
                works = (partial(raw, endpoint, requests), *(partial(program, house, recorder) for recorder in made))
                rounds.append([await cost_of(work, journal) for work in works])
    _print(rounds[1:])


def _print(rounds: list[list[Cost]]) -> None:
    client, unwritten, written = (
        statistics.median(cost.process for cost in costs) for costs in zip(*rounds, strict=True)
    )
    journal = statistics.median(each[2].process - each[1].process for each in rounds)
    writer = statistics.median(each[2].writer for each in rounds)
    print(f"raw client                         {client * 1e3:.3f} ms CPU a call")
    print(f"program, journal's writes left out {unwritten * 1e3:.3f} ms, {unwritten / client:.2f} of the raw client")
    print(f"program                            {written * 1e3:.3f} ms, {written / client:.2f} of the raw client")
    print(f"journal (the difference)           {journal * 1e3:.3f} ms, {journal / client:.1%} of the raw client;")
    print(f"of these in its own thread         {writer * 1e3:.3f} ms")


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    anyio.run(measure)
