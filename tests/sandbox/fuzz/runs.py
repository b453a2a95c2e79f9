"""Three runs against a real sandbox: frames, programs, and one program in many zygotes. Each gives a report."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import anyio
from anyio.lowlevel import checkpoint

from sandbox import Failure, Reply, Request, Setting, ZygoteSandbox, children, open_sandbox
from sandbox import frames as wire
from sandbox.errors import OperatorError
from tests.sandbox.doors import CONTRACT, ScriptedDoor
from tests.sandbox.fuzz import conversations, grammar
from tests.sandbox.fuzz.drawing import Report, chunks, side_by_side
from tests.sandbox.fuzz.replayed import PROGRAM

RAW_BOOT = "import sys; sys.path[:] = {path!r}; from tests.sandbox.raw_zygote import main; main({descriptor})"


async def frames(count: int, number: int) -> Report:
    """Until the host has read `count` frames of children that write what they like."""
    report = Report()
    with _raw_children(), _counted(report), _nothing_left(report):
        async with open_sandbox() as sandbox:
            for talks in chunks(conversations.conversations(), number):
                await side_by_side(lambda talk: _listen(sandbox, talk, report), talks)
                if report.counts["frames read"] >= count or report.findings:
                    break
            await _only_idle_children(sandbox, report)
    return report


async def programs(count: int, number: int) -> Report:
    """`count` random programs: each ends with a value or a fault of its own."""
    report = Report()
    with _nothing_left(report):
        async with open_sandbox() as sandbox:
            modules = await _modules(sandbox)
            for drawn in chunks(grammar.programs(modules), number):
                await side_by_side(lambda program: _run(sandbox, program, report), drawn)
                if report.counts["programs"] >= count or len(report.findings) > 20:
                    break
            await _only_idle_children(sandbox, report)
    return report


async def zygotes(count: int, number: int) -> Report:
    """The same program and replies in `count` fresh zygotes: everything that the host sees is the same."""
    report = Report()
    seen: set[str] = set()
    for _ in range(count):
        async with open_sandbox() as sandbox:
            door = ScriptedDoor()
            outcome = await sandbox.run(PROGRAM, CONTRACT, door, setting=Setting(seed=number, now=1_000_000.5))
            assert outcome.error is None, str(outcome.error)
            batches = [[repr(request) for request in batch] for batch in door.batches]
            seen.add(json.dumps([outcome.value, outcome.printed, outcome.usage.steps, outcome.usage.frames, batches]))
            report.counts["zygotes"] += 1
    report.counts["different records"] = len(seen)
    if len(seen) != 1:
        report.findings.append("\n".join(sorted(seen)))
    return report


class _AnyDoor(ScriptedDoor):
    """Answers at once whatever is asked, now and then with a failure; expects what the contract promises."""

    def _serving(self, request: Request) -> Callable[[], Awaitable[Reply]]:
        async def serve() -> Reply:
            if request.function != "ask":
                return Reply(str(request.arguments["id"]))
            agent, text = request.arguments["agent"], request.arguments["instruction"]
            assert isinstance(agent, str), agent
            await checkpoint()
            if request.call % 7 == 0:
                return Reply(failure=Failure("CallFailed", "no luck"))
            return Reply({"answer": [text]} if request.arguments.get("returns") else f"{agent}: {text}")

        return serve


async def _listen(sandbox: ZygoteSandbox, talk: str, report: Report) -> None:
    report.counts["conversations"] += 1
    try:
        outcome = await sandbox.run(talk, CONTRACT, _AnyDoor(), limits=conversations.LIMITS)
        report.counts["ended: " + (outcome.error.kind if outcome.error else "a value")] += 1
    except OperatorError as error:
        report.counts["ended: " + type(error).__name__] += 1
    except Exception as error:  # noqa: BLE001 - the finding that is looked for
        report.findings.append(f"{type(error).__name__}: {error}\n{talk}")


async def _run(sandbox: ZygoteSandbox, program: str, report: Report) -> None:
    report.counts["programs"] += 1
    try:
        if report.counts["programs"] % 4 == 0:
            report.counts["checked"] += 1
            await sandbox.check(program, CONTRACT)
        outcome = await sandbox.run(program, CONTRACT, _AnyDoor(), limits=grammar.LIMITS)
    except Exception as error:  # noqa: BLE001 - the finding that is looked for
        report.findings.append(f"{type(error).__name__}: {error}\n{program}")
        return
    kind = "value" if outcome.error is None else getattr(outcome.error, "limit", outcome.error.kind)
    report.counts[kind] += 1


async def _modules(sandbox: ZygoteSandbox) -> dict[str, list[str]]:
    """The modules of the workflow language with their names, as a program sees them."""
    names = grammar.MODULES
    source = "".join(f"import {name}\n" for name in names)
    listing = ", ".join(f"{name!r}: dir({name})" for name in names)
    outcome = await sandbox.run(f"{source}return {{{listing}}}", CONTRACT, _AnyDoor())
    assert isinstance(outcome.value, dict), str(outcome.error)
    return {name: list(found) for name, found in outcome.value.items()}


@contextlib.contextmanager
def _raw_children() -> Iterator[None]:
    real, children._BOOT = children._BOOT, RAW_BOOT
    try:
        yield
    finally:
        children._BOOT = real


@contextlib.contextmanager
def _counted(report: Report) -> Iterator[None]:
    """Count the frames of programs that the host begins to read; the zygote's own have another limit."""
    real = wire.body_length

    def counting(header: bytes, limit: int) -> int:
        report.counts["frames read"] += limit == conversations.LIMITS.frame_bytes
        return real(header, limit)

    wire.body_length = counting
    try:
        yield
    finally:
        wire.body_length = real


@contextlib.contextmanager
def _nothing_left(report: Report) -> Iterator[None]:
    before = _descriptors(), _processes(os.getpid())
    yield
    after = _descriptors(), _processes(os.getpid())
    if after[0] > before[0] or after[1] - before[1]:
        report.findings.append(f"left over: descriptors {before[0]} -> {after[0]}, processes {after[1] - before[1]}")


async def _only_idle_children(sandbox: ZygoteSandbox, report: Report) -> None:
    """Wait until only children that wait for work are left below the zygote, and a few seconds at most."""
    for _ in range(500):
        left = len(_processes(os.getpid()))
        if left <= children.AHEAD + 2:
            return
        await anyio.sleep(0.01)
    report.findings.append(f"{left} processes are left at level {sandbox.level}, while no program runs")


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def _processes(pid: int) -> set[int]:
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, task.read_text().split()):
                found |= {child, *_processes(child)}
    return found
