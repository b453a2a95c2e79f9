"""How soon a run of a thousand calls that was cut off at its end is where it was, without a request.

    python -m benchmarks.perf.resuming

A program asks a thousand calls, in batches, of a loopback server in a process of its own. What the journal holds of the run
before the program's end is copied into a run of its own, as if the process had been killed there, and that is resumed
several times. Printed are the median of the seconds, the ratio to the recorded run, and the requests that were sent.
"""

from __future__ import annotations

import statistics
import tempfile
from time import perf_counter

import anyio

from dynaflow import Budget, Journal, Task, resume, run_program
from dynaflow.events import RunStarted
from dynaflow.journal import new_run_id
from dynaflow.testing import ScriptedModel, anyone, echo, serve

CALLS = 1000
AT_ONCE = 50
ROUNDS = 5

PROGRAM = f"""
replies = []
for start in range(0, {CALLS}, {AT_ONCE}):
    replies += gather(*[ask("solver", f"Say the number {{n}} in words.") for n in range(start, start + {AT_ONCE})])
return len(replies)
"""


async def measure() -> None:
    """Run, cut, resume, print."""
    budget = Budget(calls=None, tokens=None, seconds=None)
    with (
        tempfile.TemporaryDirectory() as folder,
        Journal.open(f"{folder}/j.db") as journal,
        serve(ScriptedModel(anyone(echo))) as server,
    ):
        started = perf_counter()
        whole = await run_program(
            PROGRAM, Task(question="?"), agent_model=server.endpoint("agent"), journal=journal, budget=budget
        )  # fmt: skip
        recorded, received = perf_counter() - started, server.received
        seconds = []
        for _ in range(ROUNDS):
            cut = await _cut(journal, whole.run)
            started = perf_counter()
            result = await resume(cut, journal=journal)
            seconds.append(perf_counter() - started)
            assert (result.answer, result.served) == (str(CALLS), CALLS), result.reason
        resumed = statistics.median(seconds)
        print(f"{CALLS:,} calls: recorded in {recorded:.2f} s, resumed in {resumed:.2f} s, 1/{recorded / resumed:.1f};")
        print(f"requests while resuming: {server.received - received}")


async def _cut(journal: Journal, run: str) -> str:
    """A run of which the same was written, but not its end."""
    name, end = new_run_id(), ("WorkflowFinished", "ProgramAudited", "Answered", "RunFinished")
    *kept, last = (event for event in journal.events(run) if event.type not in end)
    for event in kept:
        own = event.model_copy(update={"run": name}) if isinstance(event, RunStarted) else event
        journal.enqueue(name, own, lambda _: None, urgent=False)
    await journal.append(name, last)
    return name


if __name__ == "__main__":
    anyio.run(measure)
