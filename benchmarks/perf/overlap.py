"""How close two example programs come to their critical path, against a loopback server that takes 200 ms a reply.

    python -m benchmarks.perf.overlap

The first program (plain, synchronous) has a critical path of three replies, the second (asyncio) of two. Printed are
the median seconds of the workflow over several runs, and their ratio to the critical path. The reference is the
latency that the server is set to.
"""

from __future__ import annotations

LATENCY = 0.2
RUNS = 7

SYNCHRONOUS = """
facts = [ask("searcher", f"Find: {q}") for q in ["director of Inception", "director of Tenet"]]
draft = ask("solver", "Is it the same person?", inputs={"facts": facts})
check = ask("verifier", "Does each claim follow from the facts?", inputs={"draft": draft, "facts": facts})
return f"{draft} {check}"
"""
ASYNCHRONOUS = """
import asyncio
async def branch(q):
    draft = await ask("solver", q)
    return await ask("verifier", "Solve it yourself, then compare.", inputs={"question": q, "draft": draft})
return await asyncio.gather(*(branch(q) for q in ["a", "b", "c", "d"]))
"""
