"""A model that plays main agent and sub-agents, the same way each time, for tests of runs that go on from others."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from random import Random

from dynaflow import Event, Journal
from dynaflow.events import RunFinished, RunStarted
from dynaflow.testing import LoopbackServer, Reply, ScriptedModel, anyone, echo
from dynaflow.testing.request import Request
from subagents import Pool, SubAgent

POOL = Pool(
    [
        SubAgent(name="solver", description="solves", instructions="Solve it."),
        SubAgent(name="critic", description="checks", instructions="Check it."),
    ]
)
FIRST = """
import asyncio, random
async def branch(name):
    draft = await ask("solver", f"Solve {name}")
    check = await ask("critic", "Check it.", inputs={"draft": draft}, returns={"verdict": ["right", "wrong"], "why": str})
    share(name, draft)
    return f"{draft} {check.why}"
done = []
for future in asyncio.as_completed([branch(n) for n in "abcd"]):
    done.append(await future)
votes = gather(*[ask("solver", "Vote.") for _ in range(3)])
return {"done": done, "votes": list(votes), "board": [recall(n) for n in "abcd"], "chance": random.random()}
"""
SECOND = """
words = [ask("solver", f"Say {i}") for i in range(4)]
total = ask("critic", "Join them.", inputs={"words": words})
return f"{recall('a')} {total}"
"""


def play(request: Request) -> Reply | str:
    """As main agent: two programs, then an answer made of what the second one returned. As sub-agent: an echo."""
    if request.model != "main":
        return echo(request)
    spoken = sum(message.role == "assistant" for message in request.messages)
    if spoken < 2:
        return f"```python\n{(FIRST, SECOND)[spoken]}\n```"
    marks = re.findall(r"echo [0-9a-f]{8}", request.last)
    return f"<answer>{hashlib.sha256(' '.join(marks).encode()).hexdigest()[:12]} of {len(marks)}</answer>"


def player(seed: int = 0, longest: float = 0.01) -> LoopbackServer:
    """A server around that model, which takes its time at random."""
    random = Random(seed)
    return LoopbackServer(ScriptedModel(anyone(play)), latency=lambda request: random.uniform(0, longest))


async def cut(journal: Journal, events: Sequence[Event], run: str) -> None:
    """Write a run of which only these events were written before its process was killed."""
    for event in events:
        await journal.append(run, event.model_copy(update={"run": run}) if isinstance(event, RunStarted) else event)


def end(events: Sequence[Event]) -> RunFinished:
    """The last event of a run."""
    last = events[-1]
    assert isinstance(last, RunFinished)
    return last
