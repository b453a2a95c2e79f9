"""The trace that a person reads: a run's whole story as one tree.

`render_trace` takes the events of a run, from the journal or elsewhere, and gives something that a rich
console can print: the task; for each turn what the model wrote, its program, what the check found, the
workflow with one node a call, and the answer; a closing line. Long texts are cut unless `full` is set. All
text that a model wrote passes through `visible`, and enters as `Text`, whose markup is not interpreted.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from rich.console import Group
from rich.syntax import Syntax
from rich.text import Text
from rich.tree import Tree

from dynaflow.events import (
    CallAttempted,
    CallFinished,
    Event,
    ModelCalled,
    ModelSwitched,
    ReplyRepaired,
    RunFinished,
    ToolCalled,
)
from dynaflow.story import CallStory, Story, TurnStory
from dynaflow.wording import as_text, count, cut, seconds, tokens, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

    from dynaflow.events import CallStarted, GrantDecided, ProgramChecked, RunStarted, WorkflowFinished
    from dynaflow.solving import Result
    from subagents.messages import Attempt, Switch

STYLES = {
    "answered": "green",
    "delivered": "green",
    "finished": "green",
    "degraded": "yellow",
    "no_answer": "yellow",
    "cancelled": "yellow",
    "interrupted": "yellow",
    "failed": "red",
}
"""The colour of each status, of runs, calls and workflows."""


def render_trace(events: Iterable[Event], *, full: bool = False) -> RenderableType:
    """A run as a tree to print with `rich`.

    events: of one run, in order; those of an unfinished run make a tree that says so.
    full: show every text whole, and the messages that the main agent was sent.
    """
    story = Story.of(events)
    return _Trace(full).of(story)


def code(program: str) -> Syntax:
    """A program with line numbers, coloured where there are colours."""
    text = visible(program).rstrip("\n")
    return Syntax(text, "python", line_numbers=True, theme="ansi_dark", background_color="default", word_wrap=True)


class _Trace:
    """Makes the nodes; holds nothing but whether texts are cut."""

    def __init__(self, full: bool) -> None:
        self._full = full

    def of(self, story: Story) -> Tree:
        tree = Tree(_title(story.started))
        if story.started:
            self._task(tree.add(Text("task", "bold")), story.started)
        for turn in story.turns.values():
            self._turn(tree.add(_turn_title(turn)), turn)
        tree.add(self._closing(story.finished) if story.finished else _unfinished(story))
        return tree

    def _task(self, node: Tree, started: RunStarted) -> None:
        node.add(self._text(started.task.question, 4000, lines=40))
        if started.task.context:
            node.add(self._text(started.task.context, 400, before="context: "))
        if started.task.answer_format:
            node.add(self._text(started.task.answer_format, 400, before="answer format: "))

    def _turn(self, node: Tree, turn: TurnStory) -> None:
        if self._full:
            for message in turn.started.messages:
                node.add(self._text(message.content, 0, before=f"to the model ({message.role}): ", style="dim"))
        program = turn.checked.program if turn.checked else turn.workflow.program if turn.workflow else None
        if turn.model:
            self._wrote(node, turn.model, program)
        if program is not None:
            node.add(Group(Text("program", "bold"), code(program)))
        for decided in turn.decided:
            node.add(grant_line(decided))
        if turn.checked:
            self._check(node, turn.checked)
        if turn.workflow:
            self._workflow(node, turn)
        if turn.answered:
            untagged = "" if turn.answered.tagged else " with the whole message, which had no answer tag"
            node.add(Text(f"answered{untagged}", "green"))

    def _wrote(self, node: Tree, model: ModelCalled, program: str | None) -> None:
        if model.reasoning.strip():
            node.add(self._text(model.reasoning, 400, before="reasoning: ", style="dim", lines=6))
        text = _without_program(model.text, program)
        if text:
            node.add(self._text(text, 1200, before="wrote: "))
        for request in model.tool_requests if program is None else ():
            node.add(self._text(request.arguments, 1200, before=f"asked for {visible(request.name)}: "))
        if len(model.attempts) > 1:
            for number, attempt in enumerate(model.attempts, 1):
                node.add(_attempt_line(number, attempt))

    def _check(self, node: Tree, checked: ProgramChecked) -> None:
        if not checked.findings:
            node.add(Text.assemble(("check: ", "bold"), ("passed", "green")))
            return
        findings = node.add(Text.assemble(("check: ", "bold"), (count(len(checked.findings), "finding"), "yellow")))
        for finding in checked.findings:
            findings.add(Text(visible(finding.text)))

    def _workflow(self, node: Tree, turn: TurnStory) -> None:
        ended = turn.ended
        status = ended.status if ended else "did not end"
        took = f" · {seconds(ended.seconds)}" if ended else ""
        title = Text.assemble(("workflow ", "bold"), _status(status), f" · {count(len(turn.calls), 'call')}{took}")
        workflow = node.add(title)
        for call in turn.calls.values():
            line = call_line(call.started, call.finished)
            if call.served is not None:
                line.append(
                    f" · served from {'the cache, ' if call.served.source == 'cache' else ''}run {call.served.run}",
                    "dim",
                )
            self._call(workflow.add(line), call)
        for artifact in turn.artifacts:
            name = f"shared {visible(artifact.artifact)} version {artifact.version}: "
            workflow.add(self._text(as_text(artifact.value), 600, before=name))
        if ended:
            self._ended(workflow, ended)

    def _ended(self, node: Tree, ended: WorkflowFinished) -> None:
        if ended.printed:
            node.add(self._text(ended.printed, 1200, before="printed: ", lines=20))
        if ended.status == "finished":
            node.add(self._text(as_text(ended.value), 1200, before="value: ", lines=30))
            return
        where = f" in line {ended.line}: {ended.source_line or ''}" if ended.line else ""
        node.add(self._text(f"{ended.message or ''}{where}", 1200, before=f"{ended.error}: ", style="red"))
        if ended.hint:
            node.add(self._text(ended.hint, 600, before="hint: "))

    def _call(self, node: Tree, call: CallStory) -> None:
        node.add(self._text(call.started.instruction, 400))
        if call.started.inputs is not None:
            node.add(self._text(as_text(call.started.inputs), 400, before=f"inputs{_edges(call.started)}: "))
        self._steps(node, call.steps)
        if call.finished:
            self._reply(node, call.finished)

    def _steps(self, node: Tree, steps: list[CallAttempted | ModelSwitched | ReplyRepaired | ToolCalled]) -> None:
        """What happened on the way, in order; a lone attempt that went well tells nothing."""
        attempts = [step for step in steps if isinstance(step, CallAttempted)]
        telling = len(attempts) > 1 or any(step.attempt.outcome == "failed" for step in attempts)
        for step in steps:
            match step:
                case CallAttempted() if telling:
                    node.add(_attempt_line(attempts.index(step) + 1, step.attempt))
                case ModelSwitched(switch=switch):
                    node.add(self._text(switch.message, 400, before=_switch_line(switch), style="yellow"))
                case ReplyRepaired():
                    self._repair(node, step)
                case ToolCalled():
                    self._tool(node, step)

    def _repair(self, node: Tree, repair: ReplyRepaired) -> None:
        how = "by asking once more" if repair.how == "asked" else "as JSON"
        mended = node.add(self._text(repair.problem, 400, before=f"reply repaired {how}: ", style="yellow"))
        mended.add(self._text(repair.before, 400, before="before: "))

    def _tool(self, node: Tree, tool: ToolCalled) -> None:
        outcome = Text("ok", "green") if tool.ok else Text("failed", "red")
        name = Text.assemble(f"tool {visible(tool.tool)} ", outcome, f" · {seconds(tool.seconds)}")
        called = node.add(name)
        called.add(self._text(as_text(tool.arguments), 600, before="arguments: "))
        called.add(self._text(tool.result, 600, before="result: "))

    def _reply(self, node: Tree, finished: CallFinished) -> None:
        if finished.status == "delivered":
            node.add(self._text(as_text(finished.value), 600, before="value: "))
            return
        why = f"{finished.failure}: {finished.message or ''}" if finished.failure else finished.status
        node.add(self._text(why, 600, style=STYLES[finished.status]))
        if finished.text:
            node.add(self._text(finished.text, 400, before="reply: "))

    def _closing(self, finished: RunFinished) -> RenderableType:
        line = Text.assemble(_status(finished.status), f" · {closing(finished)}")
        if finished.answer is not None:
            line = Text.assemble(self._text(finished.answer, 4000, before="answer: ", lines=40), "\n", line)
        if finished.reason:
            line = Text.assemble(line, "\n", self._text(finished.reason, 1200, before="why: "))
        return line

    def _text(self, text: str, characters: int, *, before: str = "", style: str = "", lines: int = 12) -> Text:
        shown = visible(text).rstrip()
        return Text.assemble((before, "bold"), (shown if self._full else cut(shown, characters, lines), style))


def closing(finished: RunFinished | Result) -> str:
    """What a run cost, in one line: calls, tokens, seconds."""
    failed = ", ".join(f"{number} {name}" for name, number in finished.failures.items())
    parts = [count(finished.calls, "call") + (f" ({finished.delivered} delivered)" if finished.calls else "")]
    parts += [f"failed: {failed}"] if failed else []
    parts += [f"{finished.served} served from the journal"] if finished.served else []
    parts += [f"main {tokens(finished.main_usage)}", f"sub-agents {tokens(finished.agent_usage)}"]
    parts += [f"${finished.usd:,.4f}"] if finished.usd else []
    return " · ".join([*parts, seconds(finished.seconds)])


def grant_line(decided: GrantDecided) -> Text:
    """What was decided about a thing that the policy holds back."""
    fate = ("granted", "green") if decided.granted else ("not granted", "yellow")
    return Text.assemble(f"{decided.kind} {visible(decided.name)} ", fate, f" · {visible(decided.reason)}")


def call_line(started: CallStarted, finished: CallFinished | None) -> Text:
    """A call in one line: its number, agent, label and what became of it."""
    line = call_name(started).append(" · ")
    if finished is None:
        return line.append("did not end", "yellow")
    return line.append(_status(finished.status)).append(f" · {seconds(finished.seconds)} · {tokens(finished.usage)}")


def call_name(started: CallStarted) -> Text:
    """Which call it is: number, agent and label."""
    label = f" [{visible(started.label)}]" if started.label else ""
    return Text.assemble((f"call {started.call} ", "bold"), (visible(started.agent), "cyan"), label)


def _switch_line(switch: Switch) -> str:
    agent = "" if switch.to_agent == switch.from_agent else f" {switch.to_agent}"
    endpoint = f" at {switch.to_endpoint}" if switch.to_endpoint else ""
    return visible(f"goes on with the fall-back{agent}{endpoint}, after {switch.cause}: ")


def _attempt_line(number: int, attempt: Attempt) -> Text:
    failed = attempt.outcome == "failed"
    outcome = f"failed ({visible(attempt.cause or 'no cause')})" if failed else "ok"
    waited = f" · waited {seconds(attempt.retry_after)}" if attempt.retry_after else ""
    used = f"{seconds(attempt.seconds)} · {tokens(attempt.usage)}{waited}"
    return Text(f"attempt {number} at {visible(attempt.endpoint)}: {outcome} · {used}", "red" if failed else "dim")


def _title(started: RunStarted | None) -> Text:
    if started is None:
        return Text("a run without a beginning", "yellow")
    when = datetime.fromtimestamp(started.at).astimezone()
    rest = f" · {started.mode} · {visible(started.model)} · seed {started.seed} · isolation level "
    title = Text.assemble(("run ", "bold"), started.run, rest, f"{started.isolation_level} · {when:%Y-%m-%d %H:%M:%S}")
    if started.parent is not None:
        title.append(f" · {started.parent.why} of run {started.parent.run}")
    return title


def _turn_title(turn: TurnStory) -> Text:
    title = Text(f"turn {turn.started.turn}", "bold")
    if turn.model:
        finish = "" if turn.model.finish_reason in ("stop", "tool_calls") else f" · ended by {turn.model.finish_reason}"
        title.append(f" · {seconds(turn.model.seconds)} · {tokens(turn.model.usage)}{finish}", "not bold")
    return title


def _edges(started: CallStarted) -> str:
    calls = sorted({source.call for source in started.sources})
    if not calls:
        return ""
    return f" (from {'call' if len(calls) == 1 else 'calls'} {', '.join(map(str, calls))})"


def _without_program(text: str, program: str | None) -> str:
    """What the model wrote around its program, which is shown on its own."""
    if program is None or program.strip() not in text:
        return text.strip()
    around = text.replace(program.strip(), "(the program)", 1)
    return re.sub(r"```\w*\s*\(the program\)\s*(```)?", "(the program)", around).strip().removesuffix("(the program)")


def _unfinished(story: Story) -> Text:
    last = story.last
    if last is None:
        return Text("this run did not begin: it has no event", "yellow")
    when = datetime.fromtimestamp(last.at).astimezone()
    return Text(f"this run did not end: its last event is {last.type} at {when:%Y-%m-%d %H:%M:%S}", "yellow")


def _status(status: str) -> Text:
    return Text(status.replace("_", " "), STYLES.get(status, "yellow"))
