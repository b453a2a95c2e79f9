"""How close two example programs come to their critical path, against a loopback server that takes 200 ms a reply.

    python -m benchmarks.perf.overlap

The first program (plain, synchronous) has a critical path of three replies, the second (asyncio) of two. The reference
is the raw client in the same run: the same number of requests at once, stage after stage, with nothing around them.
Printed are medians of several runs, taken in turn, and the ratios to the reference and to the bare latencies.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import anyio

from dynaflow import Event, Journal, Task, run_program
from dynaflow.testing import LoopbackServer, ScriptedModel, anyone, echo
from subagents import ChatRequest, Corpus, Endpoints, Message, Passage

LATENCY = 0.2
RUNS = 7

SYNCHRONOUS = """
facts = [ask("solver", f"Find: {q}") for q in ["director of Inception", "director of Tenet"]]
draft = ask("solver", "Is it the same person?", inputs={"facts": facts})
check = ask("critic", "Does each claim follow from the facts?", inputs={"draft": draft, "facts": facts})
return f"{draft} {check}"
"""
ASYNCHRONOUS = """
import asyncio
async def branch(q):
    draft = await ask("solver", q)
    return await ask("critic", "Solve it yourself, then compare.", inputs={"question": q, "draft": draft})
return await asyncio.gather(*(branch(q) for q in ["a", "b", "c"]))
"""


async def seconds_of(program: str, endpoint: str, journal: Journal) -> float:
    """Seconds from the program's start to its end, as the journal has them."""
    seen: list[Event] = []
    corpus = Corpus([Passage("1", "", "nothing")])
    await run_program(
        program, Task(question="?"), agent_model=endpoint, journal=journal, corpus=corpus, observe=seen.append
    )  # fmt: skip
    return next(event.seconds for event in seen if event.type == "WorkflowFinished" and event.status == "finished")


async def raw_seconds(stages: tuple[int, ...], endpoint: str) -> float:
    """Seconds that the client alone takes for so many requests at once, stage after stage."""
    request = ChatRequest(messages=(Message(role="user", content="Find: director of Inception"),))
    async with Endpoints() as endpoints:
        opened = await endpoints.open(endpoint)
        started = anyio.current_time()
        for width in stages:
            async with anyio.create_task_group() as group:
                for _ in range(width):
                    group.start_soon(partial(opened.chat, request, timeout=10))
        return anyio.current_time() - started


@contextmanager
def server_process() -> Iterator[str]:
    """A loopback server in a process of its own; gives its endpoint string."""
    command = [sys.executable, "-m", "benchmarks.perf.overlap", "--serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        assert process.stdin is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


async def measure() -> None:
    """Measure both programs and print the table."""
    with (
        tempfile.TemporaryDirectory() as folder,
        server_process() as endpoint,
        Journal.open(f"{folder}/j.db") as journal,
    ):
        for name, program, stages in (("synchronous", SYNCHRONOUS, (2, 1, 1)), ("asyncio", ASYNCHRONOUS, (3, 3))):
            pairs = [
                (await seconds_of(program, endpoint, journal), await raw_seconds(stages, endpoint))
                for _ in range(RUNS + 1)
            ][1:]
            ours, raw = (statistics.median(times) for times in zip(*pairs, strict=True))
            bare = len(stages) * LATENCY
            print(
                f"{name:12} {ours:.3f} s; raw client {raw:.3f} s, ratio {ours / raw:.3f}; "
                f"bare latencies {bare:.1f} s, ratio {ours / bare:.3f}"
            )


async def serve() -> None:
    """Serve until standard input is closed."""
    async with LoopbackServer(ScriptedModel(anyone(echo)), latency=LATENCY) as server:
        print(server.endpoint("agent"), flush=True)
        await anyio.to_thread.run_sync(sys.stdin.read)


if __name__ == "__main__":
    anyio.run(serve if "--serve" in sys.argv else measure)
