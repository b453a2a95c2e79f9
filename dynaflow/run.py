"""One run: turns of the main agent until it has answered, and the one event that says how it ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib.metadata import version
from typing import cast

import anyio
from pydantic import JsonValue

from dynaflow.audit import Subject, audited
from dynaflow.budgets import Amount, Scope
from dynaflow.call_rows import as_text
from dynaflow.errors import BudgetExceeded, ReplayDivergence
from dynaflow.events import (
    A_PERSON,
    Answered,
    Budget,
    Event,
    FindingRecord,
    Mode,
    ModelCalled,
    ProgramChecked,
    RunFinished,
    RunStarted,
    Setup,
    Status,
    TextStreamed,
    TurnStarted,
    WorkflowFinished,
    WorkflowStarted,
)
from dynaflow.feedback import (
    render_check_feedback,
    render_must_delegate_feedback,
    render_unusable_feedback,
    render_workflow_feedback,
)
from dynaflow.flow import Flow
from dynaflow.grants import Grant, Grants
from dynaflow.loops import ProgramWatch, earlier_end
from dynaflow.main_agent import MainAgent
from dynaflow.parsing import GiveAnswer, RunProgram, Unusable, parse_message
from dynaflow.past import Past, conversation
from dynaflow.prompting import render_messages
from dynaflow.recorder import Recorder
from dynaflow.records import model_called, workflow_finished
from dynaflow.spending import Purse, tariff_of
from dynaflow.staffing import House
from dynaflow.task import Task
from sandbox import Limits, Outcome, Setting
from sandbox.errors import OperatorError
from subagents import CallFailed, ContextOverflow, EmptyReply, Message, TokenUsage
from subagents.messages import ToolRequest

Approve = Callable[[str], Awaitable[bool]]
DISTRIBUTION = "dynaflow-orchestrator"
FEEDBACK_SHARE = 4
"""Feedback after a workflow takes at most one part in so many of the main agent's window."""
FEEDBACK_TOKENS = 2_000
GRACE_SECONDS = 5.0
"""After the seconds of a workflow, in which its calls have failed, its program may go on so long, to return what it has."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is to do."""

    task: Task
    mode: Mode
    budget: Budget
    seed: int
    setup: Setup
    within: Scope | None = None
    """The scope around the run: a study, whose budget several runs share."""
    past: Past | None = None
    """What the run goes on from."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ends, and why if it is not simply answered."""

    status: Status
    answer: str | None = None
    reason: str | None = None


class Run:
    """The state of one run. `drive` takes it to its end."""

    def __init__(
        self, plan: Plan, house: House, recorder: Recorder, approve: Approve | None = None, grant: Grant | None = None
    ) -> None:
        self._plan = plan
        self._house = house
        self._approve = approve
        self._recorder = recorder
        self._events: list[Event] = []
        self._scope = Scope("the run", plan.budget, plan.within)
        self._grants = Grants(house.permissions, house.staff.pool.names, self._emit, grant)
        self._flow = Flow(
            recorder.run, house.staff, self._scope, self._emit, recorder.board(), self._grants, seed=plan.seed,
            per_workflow=plan.budget.per_workflow, cache=recorder.cache() if plan.setup.cache else None,
        )  # fmt: skip
        self._programs = ProgramWatch()
        self._main_usage = TokenUsage()
        self._now = 0.0

    async def drive(self) -> None:
        """Run the main agent's loop; always ends with `RunFinished`, also when it is cancelled."""
        await self._ended_by(self._loop)

    async def drive_program(self, program: str) -> None:
        """Run a program written by hand; its value is the answer."""
        await self._ended_by(lambda: self._only_program(program))

    async def _ended_by(self, work: Callable[[], Awaitable[Ending]]) -> None:
        await self._emit(self._started())
        try:
            await self._remember()
            with self._scope.within_time():
                ending = await work()
        except ContextOverflow as error:
            way_out = "shorten the context, or put it into a folder that a searcher searches (corpus)"
            ending = Ending("failed", reason=f"the task does not fit the main agent's window: {error}; {way_out}")
        except (CallFailed, OperatorError, ReplayDivergence) as error:
            ending = Ending("failed", reason=str(error))
        except BudgetExceeded as error:
            ending = Ending("no_answer", reason=error.facts)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._emit(self._finished(Ending("interrupted", reason="the run was interrupted")))
            raise
        await self._emit(self._finished(ending))

    # -- the main agent's loop --------------------------------------------------------------------------------

    async def _loop(self) -> Ending:
        plan, endpoint = self._plan, self._house.main
        assert endpoint is not None, "a main agent needs an endpoint"
        agent = MainAgent(endpoint, may_run=plan.mode != "direct", seed=plan.seed)
        news = render_messages(
            plan.task, plan.mode, self._grants.shown(self._house.agents), form=plan.setup.form, tools=agent.uses_tools,
            budget=plan.budget,
        )  # fmt: skip
        spoken = plan.past.spoken if plan.past is not None else None
        if plan.past is not None and spoken is not None:
            agent.hear(*conversation(plan.past.events))
            action = self._action(spoken.text, spoken.tool_requests)
            if plan.past.program is not None:
                action = RunProgram(plan.past.program, "fence")
            ending, feedback = await self._act(spoken.turn, action)
            if ending is not None:
                return ending
            news = self._replies(agent, feedback)
        for turn in range(spoken.turn + 1 if spoken else 1, plan.budget.turns + 1):
            self._scope.check_time()
            ending, feedback = await self._turn(turn, agent, news)
            if ending is not None:
                return ending
            news = self._replies(agent, feedback)
        return Ending("no_answer", reason=f"no answer within {plan.budget.turns} turns")

    async def _remember(self) -> None:
        """Take over what turns that are over have left behind."""
        past = self._plan.past
        if past is None:
            return
        self._events += past.events
        await self._flow.remember(past.events)
        await self._grants.remember(past.decided, past.events)
        for event in past.events:
            if isinstance(event, ModelCalled):
                self._main_usage += event.usage
                cost = [attempt.cost for attempt in event.attempts]
                usd = sum((each for each in cost if each is not None), Decimal(0))
                self._scope.charge(Amount(0, event.usage.total, usd))
        self._scope.age(past.seconds)

    async def _turn(self, turn: int, agent: MainAgent, news: tuple[Message, ...]) -> tuple[Ending | None, str]:
        await self._emit(TurnStarted(turn=turn, messages=news))
        agent.hear(*news)
        return await self._act(turn, await self._speak(turn, agent))

    async def _act(self, turn: int, action: RunProgram | GiveAnswer | Unusable) -> tuple[Ending | None, str]:
        """Do what the main agent's message says."""
        match action:
            case RunProgram(program=program, imagined=imagined) if end := earlier_end(program, self._events):
                return await self._again(turn, program, imagined, end)
            case RunProgram(program=program) if self._plan.mode != "direct":
                return await self._program(turn, program)
            case GiveAnswer(answer=answer, tagged=tagged):
                return await self._answer(turn, answer, tagged)
            case Unusable(reason=reason, hint=hint):
                return None, render_unusable_feedback(reason, hint)
        return None, render_unusable_feedback("this task is to be answered without a program", "give the answer")

    async def _speak(self, turn: int, agent: MainAgent) -> RunProgram | GiveAnswer | Unusable:
        show = self._recorder.show
        purse = Purse(self._scope, tariff_of(agent.endpoint))
        try:
            async with self._scope.in_flight():
                said = await agent.speak(
                    turn,
                    lambda text: show(TextStreamed(turn=turn, text=text)),
                    purse,
                    again=self._last_was_useless(turn) or self._is_rolled_back_to(turn),
                )
        except EmptyReply as error:  # the model's fault: it is told, and may do better
            said = agent.said_nothing(error.cause)
            await self._emit(model_called(turn, said))
            return Unusable(str(error), "write a short message")
        finally:
            purse.close()
            self._main_usage += purse.usage
        await self._emit(model_called(turn, said))
        return self._action(said.reply.text, said.reply.tool_requests)

    def _action(self, text: str, tool_requests: tuple[ToolRequest, ...]) -> RunProgram | GiveAnswer | Unusable:
        return parse_message(text, tool_requests, allow_program=self._plan.mode != "direct")

    async def _again(
        self, turn: int, program: str, imagined: str | None, end: ProgramChecked | WorkflowFinished
    ) -> tuple[Ending | None, str]:
        """A program that has had its end is not run again: the model is told once.

        If it insists, the value that the program returned is its answer; without one the run is stopped. An answer beside
        a program that has brought a value is no longer imagined.
        """
        first = self._programs.tell(program)
        value = as_text(end.value) if isinstance(end, WorkflowFinished) and end.value is not None else None
        fate = f"has run already, and returned {value[:200]}" if value is not None else _fate(end)
        if value is not None and (imagined is not None or not first) and self._may_answer:
            return await self._answer(turn, value if imagined is None else imagined, imagined is not None)
        if not first:
            return Ending("no_answer", reason=f"the main agent keeps sending the same program, which {fate}"), ""
        way_out = (
            "Write only the answer: <answer>value</answer>" if value is not None and self._may_answer else "Change it"
        )
        return None, render_unusable_feedback(f"This very program {fate}", way_out)

    @property
    def _may_answer(self) -> bool:
        return self._plan.mode != "forced" or bool(self._flow.delivered)

    def _is_rolled_back_to(self, turn: int) -> bool:
        """Whether this message was said before, and is to be said anew."""
        past = self._plan.past
        return past is not None and past.parent.why == "rollback" and turn == past.last_turn + 1

    def _last_was_useless(self, turn: int) -> bool:
        """Whether the turn before brought no finished workflow."""
        finished = any(
            event.type == "WorkflowFinished" and event.status == "finished" and event.turn == turn - 1
            for event in self._events
        )
        return turn > 1 and not finished

    async def _answer(self, turn: int, answer: str, tagged: bool) -> tuple[Ending | None, str]:
        if not self._may_answer:
            return None, render_must_delegate_feedback()
        await self._emit(Answered(turn=turn, answer=answer, tagged=tagged))
        return self._answered(answer), ""

    def _answered(self, answer: str) -> Ending:
        failures = self._flow.failures
        if not failures:
            return Ending("answered", answer)
        census = ", ".join(f"{count} {name}" for name, count in sorted(failures.items()))
        return Ending("degraded", answer, f"answered, though calls failed: {census}")

    # -- programs ---------------------------------------------------------------------------------------------

    async def _program(self, turn: int, program: str) -> tuple[Ending | None, str]:
        findings = await self._check(turn, program)
        if findings:
            return None, render_check_feedback(program, findings)
        if self._approve is not None and not await self._approve(program):
            return Ending("no_answer", reason="the program was not approved"), ""
        asked_before = self._scope.taken.calls
        outcome = await self._workflow(turn, program)
        asked_nobody = self._scope.taken.calls == asked_before
        if asked_nobody and outcome.error is None and outcome.value is not None and self._flow.delivered:
            # After its sub-agents have delivered, a program that asks nobody is the answer, written as a program.
            return await self._answer(turn, as_text(cast("JsonValue", outcome.value)), False)
        return None, self._feedback(turn)

    async def _check(self, turn: int, program: str) -> tuple[FindingRecord, ...]:
        """What is wrong with a program. What is only held back from it may be granted, and then it is checked again."""
        while True:
            found = await self._house.sandbox.check(program, self._grants.contract(self._plan.task))
            findings = tuple(FindingRecord(kind=f.kind, message=f.message, line=f.line, text=str(f)) for f in found)
            await self._emit(ProgramChecked(turn=turn, program=program, findings=findings))
            if not await self._grants.permit(turn, found):
                return findings

    async def _workflow(self, turn: int, program: str) -> Outcome:
        await self._emit(WorkflowStarted(turn=turn, program=program))
        past = self._plan.past
        recording = past.recording if past is not None and past.recording.turn == turn else None
        door = self._flow.door(turn, recording, strict=past is None or past.unchanged)
        setting = Setting(seed=self._plan.seed, now=self._now, paced=door.is_paced)
        sandbox, policy, contract = self._house.sandbox, self._grants.policy, self._grants.contract(self._plan.task)
        limits = _limits(policy.limited(), self._plan.budget.per_workflow.seconds)
        author = "main agent" if self._house.main else "a person"
        try:
            outcome = await audited(
                lambda: sandbox.run(program, contract, door, limits=limits, setting=setting),
                Subject(author, turn, sandbox.level, policy, limits), self._emit, self._events,
            )  # fmt: skip
        finally:
            door.close()
        await self._emit(workflow_finished(turn, outcome))
        return outcome

    def _feedback(self, turn: int) -> str:
        window = self._house.main.context_tokens if self._house.main else None
        tokens = FEEDBACK_TOKENS if window is None else min(FEEDBACK_TOKENS, window // FEEDBACK_SHARE)
        events = [event for event in self._events if getattr(event, "turn", None) == turn]
        return render_workflow_feedback(events, budget_left=self._left(turn), max_tokens=tokens)

    def _left(self, turn: int) -> Budget:
        left = self._scope.left().model_dump()
        return Budget(turns=max(self._plan.budget.turns - turn, 1), **left)

    def _replies(self, agent: MainAgent, feedback: str) -> tuple[Message, ...]:
        """Feedback as messages: the answer to each tool request, or one user message."""
        last = next(event for event in reversed(self._events) if isinstance(event, ModelCalled))
        if agent.uses_tools and last.tool_requests:
            return tuple(
                Message(role="tool", content=feedback, tool_request_id=request.id) for request in last.tool_requests
            )
        return (Message(role="user", content=feedback),)

    async def _only_program(self, program: str) -> Ending:
        findings = await self._check(1, program)
        if findings:
            return Ending("no_answer", reason="\n".join(finding.text for finding in findings))
        outcome = await self._workflow(1, program)
        if outcome.error is not None:
            return Ending("no_answer", reason=f"{outcome.error.kind}: {outcome.error}")
        if outcome.value is None:
            return Ending("no_answer", reason="the program returned no value")
        answer = as_text(cast("JsonValue", outcome.value))
        await self._emit(Answered(turn=1, answer=answer, tagged=True))
        return self._answered(answer)

    # -- events -----------------------------------------------------------------------------------------------

    async def _emit(self, event: Event, *, awaited: bool = True) -> None:
        self._events.append(event)
        await self._recorder.record(event, awaited=awaited)

    def _started(self) -> RunStarted:
        plan, house = self._plan, self._house
        event = RunStarted(
            run=self._recorder.run, task=plan.task, mode=plan.mode, model=house.main.name if house.main else A_PERSON,
            agents=house.agents, budget=plan.budget, seed=plan.seed, isolation_level=house.sandbox.level,
            version=version(DISTRIBUTION), setup=plan.setup, parent=plan.past.parent if plan.past else None,
        )  # fmt: skip
        self._now = event.at if plan.past is None else plan.past.parent.now
        return event

    def _finished(self, ending: Ending) -> RunFinished:
        return RunFinished(
            status=ending.status, answer=ending.answer, reason=ending.reason, calls=self._scope.taken.calls,
            delivered=self._flow.delivered, served=self._flow.served, failures=dict(self._flow.failures),
            main_usage=self._main_usage, agent_usage=self._flow.usage, usd=self._scope.cost, seconds=self._scope.seconds,
        )  # fmt: skip


def _limits(usual: Limits, workflow_seconds: float | None) -> Limits:
    """The sandbox's limits, of wall time no more than the workflow has."""
    if workflow_seconds is None:
        return usual
    return replace(usual, wall_seconds=min(usual.wall_seconds, workflow_seconds + GRACE_SECONDS))


def _fate(end: ProgramChecked | WorkflowFinished) -> str:
    """What became of a program that brought no value."""
    if isinstance(end, ProgramChecked):
        return f"was not run: {end.findings[0].message}"
    return (
        f"has failed with {end.error}: {end.message}"
        if end.status == "failed"
        else "has run already, and returned nothing"
    )
