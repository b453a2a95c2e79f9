"""A small trial on real items: each in the three modes, or only the first program of each in forced mode.

    python -m benchmarks.trial --data FOLDER --items 3 --out trial.jsonl
    python -m benchmarks.trial --data FOLDER --items 7 --skip 3 --first-programs --out programs.jsonl

Writes one JSON line a run and prints a table at the end. Runs that are in the file already are not made again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, get_args

import anyio

from benchmarks.tasks import SETS, TaskSet
from dynaflow.events import Budget, Event, Mode
from dynaflow.journal import Journal
from dynaflow.solving import solve
from dynaflow.task import Task
from subagents import Corpus

Row = dict[str, Any]


def main() -> None:
    """Run the trial that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the sets' JSONL files")
    parser.add_argument("--items", type=int, default=3, help="items of each set")
    parser.add_argument("--skip", type=int, default=0, help="items of each set left out at the beginning")
    parser.add_argument("--model", default="local", help="endpoint of the main agent")
    parser.add_argument("--agent-model", help="endpoint of the sub-agents; the main agent's if left out")
    parser.add_argument("--first-programs", action="store_true", help="one turn in forced mode only")
    parser.add_argument("--out", type=Path, required=True, help="JSON lines, appended to")
    options = parser.parse_args()
    anyio.run(_trial, options)
    _report(_rows(options.out))


async def _trial(options: argparse.Namespace) -> None:
    done = {(row["task"], row["mode"]) for row in _rows(options.out)}
    with Journal.open(options.out.with_suffix(".db")) as journal, options.out.open("a", encoding="utf-8") as out:
        async for task_set, task, corpus in _items(options):
            for mode in ("forced",) if options.first_programs else get_args(Mode):
                if (task.id, mode) in done:
                    continue
                budget = Budget(turns=1 if options.first_programs else 6, calls=24, seconds=900)
                row = await _run(task_set, task, mode, corpus, journal, budget, options)
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                out.flush()
                print(
                    json.dumps({key: row[key] for key in ("task", "mode", "status", "correct", "seconds")}),
                    file=sys.stderr,
                )


async def _items(options: argparse.Namespace) -> AsyncIterator[tuple[TaskSet, Task, Corpus | None]]:
    for task_set in SETS.values():
        records = await anyio.to_thread.run_sync(task_set.records, options.data)
        corpus = task_set.corpus(records)
        for index in range(options.skip, options.skip + options.items):
            yield task_set, task_set.task(records[index], index), corpus


async def _run(
    task_set: TaskSet,
    task: Task,
    mode: Mode,
    corpus: Corpus | None,
    journal: Journal,
    budget: Budget,
    options: argparse.Namespace,
) -> Row:
    seen: list[Event] = []
    result = await solve(
        task, mode=mode, model=options.model, agent_model=options.agent_model, corpus=corpus, journal=journal,
        budget=budget, observe=seen.append,
    )  # fmt: skip
    checks = [event for event in seen if event.type == "ProgramChecked"]
    workflows = [event for event in seen if event.type == "WorkflowFinished"]
    return {
        "task": task.id, "set": task_set.name, "mode": mode, "run": result.run, "status": result.status,
        "answer": result.answer, "gold": task.gold, "seconds": round(result.seconds, 1), "calls": result.calls,
        "correct": result.answer is not None and task_set.correct(result.answer, task.gold or ""),
        "delivered": result.delivered, "tokens": result.main_usage.total + result.agent_usage.total,
        "programs": len(checks), "first_passed_check": bool(checks) and not checks[0].findings,
        "first_ran": bool(checks) and not checks[0].findings and bool(workflows) and workflows[0].status == "finished",
        "reason": result.reason,
    }  # fmt: skip


def _rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def _report(rows: list[Row]) -> None:
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["set"], row["mode"]].append(row)
        groups["all", row["mode"]].append(row)
    print("set            mode      items right  seconds  delivered  first program passed / ran")
    for (name, mode), members in sorted(groups.items()):
        print(_line(name, mode, members))


def _line(name: str, mode: str, rows: list[Row]) -> str:
    def share(key: str) -> str:
        return f"{sum(bool(row[key]) for row in rows)}/{len(rows)}"

    seconds = sorted(row["seconds"] for row in rows)[len(rows) // 2]
    programs = f"{share('first_passed_check')} / {share('first_ran')}" if mode != "direct" else "-"
    return f"{name:14} {mode:9} {len(rows):5} {share('correct'):>5} {seconds:8} {share('delivered'):>10}  {programs}"


if __name__ == "__main__":
    main()
