"""What every engine behind the `Sandbox` Protocol has to do, told by that Protocol alone.

The language itself is in the other modules that take `sandbox` (`test_language.py`, `test_check.py`, `test_determinism.py`,
`test_programs.py`, `test_facades.py`, ...): they, too, run against each engine in `ENGINES`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import fields

import anyio
import pytest

from sandbox import Failure, Limits, Reply, Request, Sandbox, Setting
from sandbox.errors import LimitExceeded, WorkflowError
from tests.sandbox.doors import CONTRACT, ScriptedDoor

pytestmark = pytest.mark.anyio
LONG = "x = 1\n" * 40

LIMITED: dict[str, tuple[str, Limits, str, int | None]] = {
    "source": (LONG, Limits(source_chars=100), "source", None),
    "depth of the source": ("x = " + "-" * 50 + "1", Limits(ast_depth=30), "depth", None),
    "steps": ("x = 1\nfor i in range(1000):\n    x += 1", Limits(steps=100), "steps", 2),
    "processor time": ("x = 1\nsum(range(10**11))", Limits(cpu_seconds=0.3), "cpu", 2),
    "memory": ("x = 1\ny = 'x' * 10**8", Limits(memory_bytes=40 * 2**20), "memory", 2),
    "wall": ("x = 1\nreturn ask('solver', 'slow') + ''", Limits(wall_seconds=0.3), "wall", 2),
    "calls": ("return parallel([('solver', str(i)) for i in range(20)])", Limits(outstanding_calls=10), "calls", 1),
    "an instruction": ("x = 1\nask('solver', 'x' * 2000)", Limits(instruction_bytes=1000), "frame", 2),
    "a batch": ("return ask('solver', 'q', inputs='x' * 3000)", Limits(frame_bytes=2000), "frame", None),
    "the value": ("return 'x' * 2000", Limits(result_bytes=1000), "result", None),
    "printed text": ("x = 1\nprint('x' * 2000)", Limits(printed_chars=1000), "output", 2),
}


def slowly(request: Request) -> str:
    return f"{request.arguments['agent']}: {request.arguments['instruction']}"


async def test_a_level_is_reached(sandbox: Sandbox) -> None:
    assert sandbox.level in (0, 1, 2, 3)


async def test_a_program_gives_its_value_what_it_printed_and_what_it_used(sandbox: Sandbox) -> None:
    outcome = await sandbox.run("print('a', 1)\nprint('b')\nreturn {'k': [1, None, 'é']}", CONTRACT, ScriptedDoor())
    assert (outcome.value, outcome.printed, outcome.error) == ({"k": [1, None, "é"]}, "a 1\nb\n", None)
    assert outcome.usage.wall_seconds > 0
    assert outcome.usage.frames >= 1


async def test_an_error_has_its_line_and_keeps_what_was_printed(sandbox: Sandbox) -> None:
    outcome = await sandbox.run("print('so far')\nx = 0\n\ny = 1 / x  # here", CONTRACT, ScriptedDoor())
    error = outcome.error
    assert isinstance(error, WorkflowError)
    assert (error.kind, error.line, error.source_line) == ("WorkflowRuntimeError", 4, "y = 1 / x  # here")
    assert "ZeroDivisionError" in error.message
    assert (outcome.value, outcome.printed) == (None, "so far\n")


@pytest.mark.parametrize("case", LIMITED)
async def test_a_limit_ends_the_program_and_says_which(sandbox: Sandbox, case: str) -> None:
    program, limits, kind, line = LIMITED[case]
    door = ScriptedDoor(slowly, latency=30.0 if kind == "wall" else 0.0)
    error = (await sandbox.run(program, CONTRACT, door, limits=limits)).error
    assert isinstance(error, LimitExceeded), str(error)
    assert error.limit == kind
    assert error.line in (line, None) if kind == "memory" else error.line == line
    assert error.value in [getattr(limits, field.name) for field in fields(Limits)]
    assert door.cancelled == ([1] if kind == "wall" else [])


async def test_printed_text_is_kept_up_to_a_limit(sandbox: Sandbox) -> None:
    limits = Limits(printed_kept=10)
    outcome = await sandbox.run("print('x' * 8)\nprint('y' * 8)\nreturn 1", CONTRACT, ScriptedDoor(), limits=limits)
    assert (outcome.value, outcome.printed) == (1, "xxxxxxxx\ny")


async def test_a_long_reply_is_cut_with_a_mark(sandbox: Sandbox) -> None:
    door = ScriptedDoor(lambda request: "x" * 400_000)
    outcome = await sandbox.run("h = ask('solver', 'q')\nreturn [len(h), h[-60:]]", CONTRACT, door)
    assert isinstance(outcome.value, list)
    assert outcome.value[0] < 300_000
    assert "cut" in outcome.value[1]


async def test_a_check_finds_what_is_wrong_without_running_it(sandbox: Sandbox) -> None:
    finding = (await sandbox.check("x = 1\nreturn anser", CONTRACT))[0]
    assert (finding.kind, finding.line, finding.source_line) == ("name", 2, "return anser")
    assert await sandbox.check("return ask('solver', 'q')", CONTRACT) == []
    assert (await sandbox.check(LONG, CONTRACT, Limits(source_chars=100)))[0].message.startswith("the program has")


async def test_a_batch_is_admitted_as_a_whole_and_can_be_refused_as_a_whole(sandbox: Sandbox) -> None:
    class Refusing(ScriptedDoor):
        def admit(self, batch: Sequence[Request]) -> Sequence[Callable[[], Awaitable[Reply]]]:
            self.batches.append(list(batch))
            return [self.refuse for _ in batch]

        async def refuse(self) -> Reply:
            return Reply(failure=Failure("BudgetExceeded", "no calls left"))

    door = Refusing()
    program = (
        "hs = [ask('solver', q) for q in 'abc']\nout = []\nfor h in hs:\n    try:\n        out.append(h + '')\n"
        "    except BudgetExceeded as e:\n        out.append(str(e))\nreturn out"
    )
    outcome = await sandbox.run(program, CONTRACT, door)
    assert outcome.value == ["no calls left"] * 3
    assert [[request.call for request in batch] for batch in door.batches] == [[1, 2, 3]]


async def test_a_request_says_where_it_comes_from(sandbox: Sandbox) -> None:
    door = ScriptedDoor()
    await sandbox.run("a = ask('solver', 'q')\nreturn ask('critic', 'r', inputs={'k': a})", CONTRACT, door)
    first, second = door.requests
    assert (first.call, first.function, first.line, first.sources) == (1, "ask", 1, ())
    assert (second.call, second.line) == (2, 2)
    assert [(s.argument, s.path, s.call) for s in second.sources] == [("inputs", ("k",), 1)]


async def test_replies_arrive_in_the_order_in_which_they_end(sandbox: Sandbox) -> None:
    program = (
        "import asyncio\nhs = [ask('solver', q) for q in 'ab']\nreturn [await f for f in asyncio.as_completed(hs)]"
    )

    class Reversed(ScriptedDoor):
        def admit(self, batch: Sequence[Request]) -> Sequence[Callable[[], Awaitable[Reply]]]:
            events = [anyio.Event() for _ in batch]

            def serving(place: int) -> Callable[[], Awaitable[Reply]]:
                async def serve() -> Reply:
                    if place + 1 < len(events):
                        await events[place + 1].wait()
                    events[place].set()
                    return Reply(str(batch[place].arguments["instruction"]))

                return serve

            return [serving(place) for place in range(len(batch))]

    assert (await sandbox.run(program, CONTRACT, Reversed())).value == ["b", "a"]


async def test_a_door_that_fails_is_the_hosts_error(sandbox: Sandbox) -> None:
    def broken(request: Request) -> str:
        raise LookupError("the host's own fault")

    with pytest.raises(LookupError, match="own fault"):
        await sandbox.run("return ask('solver', 'q')", CONTRACT, ScriptedDoor(broken))


async def test_cancelling_a_run_cancels_its_calls(sandbox: Sandbox) -> None:
    door = ScriptedDoor(latency=30.0)
    async with anyio.create_task_group() as group:
        group.start_soon(sandbox.run, "return ask('solver', 'q') + ''", CONTRACT, door)
        while not door.requests:  # noqa: ASYNC110 - the door has no event
            await anyio.sleep(0.01)
        group.cancel_scope.cancel()
    assert door.cancelled == [1]
    assert (await sandbox.run("return 1", CONTRACT, ScriptedDoor())).value == 1


async def test_many_programs_side_by_side(sandbox: Sandbox) -> None:
    values: list[object] = [None] * 40

    async def one(index: int) -> None:
        outcome = await sandbox.run(f"return ask('solver', '{index}')", CONTRACT, ScriptedDoor(latency=0.01))
        values[index] = outcome.value

    async with anyio.create_task_group() as group:
        for index in range(40):
            group.start_soon(one, index)
    assert values == [f"solver: {index}" for index in range(40)]


async def test_no_program_sees_another(sandbox: Sandbox) -> None:
    await sandbox.run("import json\nx = 5\nclass C: pass\nC.seen = 1", CONTRACT, ScriptedDoor())
    outcome = await sandbox.run("return x", CONTRACT, ScriptedDoor())
    assert "NameError" in str(outcome.error)


@pytest.mark.parametrize(
    "program", ["import os", "import sys", "return __builtins__", "return open('/etc/passwd')", "import socket"]
)
async def test_a_program_sees_nothing_of_the_machine(sandbox: Sandbox, program: str) -> None:
    assert (await sandbox.run(program, CONTRACT, ScriptedDoor())).error is not None


async def test_seed_and_time_decide(sandbox: Sandbox) -> None:
    program = "import random, time\nreturn [random.random(), time.time()]"

    async def value(seed: int, now: float) -> object:
        return (await sandbox.run(program, CONTRACT, ScriptedDoor(), setting=Setting(seed, now))).value

    first = await value(1, 5.0)
    assert await value(1, 5.0) == first
    assert await value(2, 5.0) != first
    assert (await value(1, 6.0))[1] == 6.0


async def test_a_deep_thing_can_be_hashed(sandbox: Sandbox) -> None:
    program = "t = ()\nfor _ in range(300_000):\n    t = (t,)\nreturn hash(t) == hash((t[0],))"
    assert (await sandbox.run(program, CONTRACT, ScriptedDoor())).value is True


async def test_a_program_that_is_far_too_long_is_not_even_sent(sandbox: Sandbox) -> None:
    program = "1 + " * 5_000_000 + "1"
    outcome = await sandbox.run(program, CONTRACT, ScriptedDoor())
    assert isinstance(outcome.error, LimitExceeded)
    assert (outcome.error.limit, outcome.usage.frames) == ("source", 0)
    assert len(await sandbox.check(program, CONTRACT)) == 1
