"""The journal's vocabulary: one frozen pydantic model for everything that can happen in a run.

`solve()` is a loop over a stream of these, and every reader (journal, live view, `dynaflow show`, exporters)
reads the same stream. An event is one JSON object, told apart by `type`; times are Unix seconds.
`TextStreamed` is the one event that is shown while it happens and never journalled.
"""

from __future__ import annotations

import time
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from dynaflow.policies import Policy
from dynaflow.task import Task
from subagents.messages import Attempt, Message, Switch, TokenUsage, ToolRequest
from subagents.pool import PoolSpec
from subagents.specs import Allowance

Mode = Literal["direct", "dynamic", "forced"]
Reason = Literal["resume", "rollback", "whatif"]
Status = Literal["answered", "degraded", "no_answer", "failed", "interrupted"]


A_PERSON = "a person"
"""Stands for the main agent's model where a program was written by hand."""


class Budget(Allowance):
    """What a run may use at most; None is no limit."""

    turns: int = Field(default=6, ge=1)
    calls: int | None = Field(default=64, ge=0)
    tokens: int | None = Field(default=200_000, ge=0)
    """Prompt plus completion tokens of main agent and sub-agents together."""
    seconds: float | None = Field(default=1800.0, ge=0, allow_inf_nan=False)
    per_workflow: Allowance = Allowance()
    """What each workflow of the run may use of it."""


class AgentRecord(BaseModel):
    """An agent of the pool as the run saw it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str
    model: str | None
    """The endpoint string, None for an agent that needs no model."""


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    at: float = Field(default_factory=time.time)


class Parent(BaseModel):
    """The run from which a run goes on: its first `kept` events, but for `RunStarted`, are this run's past."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    kept: int
    why: Reason
    now: float
    """When the first run of the line began, in Unix seconds: the time that programs see."""


class Setup(BaseModel):
    """What else a run was set up with, so that another one can go on from it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pool: PoolSpec
    agent_model: str
    """Endpoint string of the agents that name none."""
    corpus: str | None = None
    """Folder of the searcher's; None if it searched the task's context, or passages that were given in Python."""
    form: Literal["compact", "full"]
    cache: bool = False
    policy: Policy = Policy()
    """Of the run: what it narrows of what its pool grants."""


class RunStarted(_Event):
    """The first event: what is to be solved, how, by whom, and within what."""

    type: Literal["RunStarted"] = "RunStarted"
    run: str
    task: Task
    mode: Mode
    model: str
    """Endpoint string of the main agent."""
    agents: tuple[AgentRecord, ...]
    budget: Budget
    seed: int
    isolation_level: int
    version: str
    setup: Setup | None = None
    parent: Parent | None = None

    @property
    def has_main_agent(self) -> bool:
        """False for the run of a program that a person wrote."""
        return self.model != A_PERSON


class TurnStarted(_Event):
    """A turn of the main agent begins."""

    type: Literal["TurnStarted"] = "TurnStarted"
    turn: int
    """Counted from 1."""
    messages: tuple[Message, ...]
    """What is new for the main agent in this turn: the prompt at first, then feedback."""


class ModelCalled(_Event):
    """The main agent's message of a turn, whole, with every attempt that it took."""

    type: Literal["ModelCalled"] = "ModelCalled"
    turn: int
    text: str
    reasoning: str = ""
    tool_requests: tuple[ToolRequest, ...] = ()
    finish_reason: str
    attempts: tuple[Attempt, ...]
    usage: TokenUsage
    seconds: float


class FindingRecord(BaseModel):
    """One finding of a check; `text` holds line, source and caret."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    message: str
    line: int
    text: str


class ProgramChecked(_Event):
    """A program was checked before it runs; without findings it does."""

    type: Literal["ProgramChecked"] = "ProgramChecked"
    turn: int
    program: str
    findings: tuple[FindingRecord, ...]


class WorkflowStarted(_Event):
    """The program of a turn runs."""

    type: Literal["WorkflowStarted"] = "WorkflowStarted"
    turn: int
    program: str


class SourceRecord(BaseModel):
    """An exact edge of the information flow: the value at `path` of the inputs is (part of) the reply of `call`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: tuple[str | int, ...]
    call: int


class CallStarted(_Event):
    """A call was asked for by the running program."""

    type: Literal["CallStarted"] = "CallStarted"
    turn: int
    call: int
    """Counted from 1 within the workflow."""
    key: str = ""
    """Hash of what decides the reply: the agent as it is asked, with its tools, and the exchange."""
    agent: str
    instruction: str
    inputs: JsonValue = None
    shape: JsonValue = None
    label: str | None = None
    branch: str
    line: int | None
    sources: tuple[SourceRecord, ...] = ()
    repeats: int = 0
    """How often this very call had been asked for again, with this time, although its reply was there."""


class CallAttempted(_Event):
    """One request to a model endpoint inside a call is over."""

    type: Literal["CallAttempted"] = "CallAttempted"
    turn: int
    call: int
    attempt: Attempt


class CallServed(_Event):
    """A call was answered without a request: from the run that this one goes on from, or from another one."""

    type: Literal["CallServed"] = "CallServed"
    turn: int
    call: int
    source: Literal["journal", "cache"]
    run: str
    """The run whose call had the reply, its turn and its number there."""
    of_turn: int
    of_call: int


class ModelSwitched(_Event):
    """A call goes on with the fall-back of its agent; attempts from here on are the fall-back's."""

    type: Literal["ModelSwitched"] = "ModelSwitched"
    turn: int
    call: int
    switch: Switch


class ReplyRepaired(_Event):
    """A reply that did not fit its shape was mended: by a JSON repair, or by asking once more."""

    type: Literal["ReplyRepaired"] = "ReplyRepaired"
    turn: int
    call: int
    how: Literal["json", "asked"]
    problem: str
    before: str


class ToolCalled(_Event):
    """A tool was used inside a call."""

    type: Literal["ToolCalled"] = "ToolCalled"
    turn: int
    call: int
    tool: str
    arguments: JsonValue
    result: str
    """The text that went back to the agent."""
    ok: bool
    seconds: float


class CallFinished(_Event):
    """The one terminal event of a call: delivered, or failed with its cause."""

    type: Literal["CallFinished"] = "CallFinished"
    turn: int
    call: int
    status: Literal["delivered", "failed", "cancelled"]
    value: JsonValue = None
    text: str = ""
    """The agent's whole reply text, before it was read as a value."""
    failure: str | None = None
    """A name such as `CallTimeout`."""
    message: str | None = None
    usage: TokenUsage = TokenUsage()
    """Of a call that was served: what its reply had used when it was asked for."""
    cost: Decimal | None = None
    """US dollars; None where they are not known."""
    seconds: float = 0.0
    order: int | None = None
    """Counts what went back to the program, in the order in which it did; None for a call that was cancelled."""


class ArtifactShared(_Event):
    """A value was put on the run's board."""

    type: Literal["ArtifactShared"] = "ArtifactShared"
    turn: int
    artifact: str
    version: int
    value: JsonValue
    call: int
    order: int = 0


class ArtifactRecalled(_Event):
    """The run's board was read; version 0: there was no such artifact, or a `share` came to nothing."""

    type: Literal["ArtifactRecalled"] = "ArtifactRecalled"
    turn: int
    artifact: str
    version: int
    call: int
    order: int


class DeadlinePassed(_Event):
    """A time limit that the program had set, while it waited for calls, was over."""

    type: Literal["DeadlinePassed"] = "DeadlinePassed"
    turn: int
    deadline: int
    seconds: float
    order: int


class WorkflowFinished(_Event):
    """The program of a turn ended, with a value or with its error."""

    type: Literal["WorkflowFinished"] = "WorkflowFinished"
    turn: int
    status: Literal["finished", "failed"]
    value: JsonValue = None
    printed: str = ""
    error: str | None = None
    """The error's kind, e.g. `WorkflowRuntimeError`."""
    message: str | None = None
    line: int | None = None
    source_line: str | None = None
    hint: str | None = None
    seconds: float
    cpu_seconds: float
    peak_bytes: int


class GrantDecided(_Event):
    """Something that the pool grants and the run's policy holds back was wanted; granted, it holds for the rest of the run."""

    type: Literal["GrantDecided"] = "GrantDecided"
    turn: int
    kind: Literal["agent", "module"]
    name: str
    granted: bool
    by: Literal["approver", "nobody"]
    """Nobody: there was no one to decide, so that it was refused."""
    reason: str
    """What it was wanted for."""


class PolicyRecord(BaseModel):
    """What a program was allowed when it began."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agents: tuple[str, ...]
    modules: tuple[str, ...]


class SystemCall(BaseModel):
    """A system call that the walls refused; None where it is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int | None
    name: str | None


class ProgramAudited(_Event):
    """A program has ended: what it was allowed, what it used, and what it died of."""

    type: Literal["ProgramAudited"] = "ProgramAudited"
    turn: int
    call: int | None = None
    """The call in which it ran, for a program that a sub-agent wrote."""
    author: str
    isolation_level: int
    policy: PolicyRecord
    limits: dict[str, int | float]
    """Those of `sandbox.Limits` that were in force."""
    granted: tuple[str, ...] = ()
    """What was granted in its turn, e.g. `agent searcher`."""
    not_granted: tuple[str, ...] = ()
    refusals: dict[str, int] = Field(default_factory=dict)
    """Calls that the host refused: failure name -> count."""
    cause: str
    """`finished`, or what it died of, e.g. `LimitExceeded: cpu`, `SandboxViolation`, `interrupted`."""
    detail: str | None = None
    alert: SystemCall | None = None
    """The system call for which it was killed: it had got past the language layer."""
    cpu_seconds: float
    wall_seconds: float
    peak_bytes: int
    steps: int
    frames: int
    """Frames and bytes that the host read of it; `..._written`: that it was sent."""
    frames_written: int
    bytes_read: int
    bytes_written: int


class Answered(_Event):
    """The main agent gave its answer."""

    type: Literal["Answered"] = "Answered"
    turn: int
    answer: str
    tagged: bool
    """False when the whole message was taken, for want of an answer tag."""


class RunFinished(_Event):
    """The last event: how the run ended, and what it used."""

    type: Literal["RunFinished"] = "RunFinished"
    status: Status
    answer: str | None
    reason: str | None = None
    """For every status but `answered`: why, in one sentence."""
    calls: int
    delivered: int
    served: int = 0
    """Calls that were answered without a request, from a journal."""
    failures: dict[str, int] = Field(default_factory=dict)
    """Census of failed calls: failure name -> count."""
    main_usage: TokenUsage
    agent_usage: TokenUsage
    usd: Decimal | None = None
    """What all of it cost in US dollars; None where a price or some usage is not known."""
    seconds: float


class TextStreamed(_Event):
    """A piece of the main agent's message while it is written; shown live, never journalled."""

    type: Literal["TextStreamed"] = "TextStreamed"
    turn: int
    text: str


Event = Annotated[
    RunStarted
    | TurnStarted
    | ModelCalled
    | ProgramChecked
    | WorkflowStarted
    | CallStarted
    | CallAttempted
    | CallServed
    | ModelSwitched
    | ReplyRepaired
    | ToolCalled
    | CallFinished
    | ArtifactShared
    | ArtifactRecalled
    | DeadlinePassed
    | WorkflowFinished
    | GrantDecided
    | ProgramAudited
    | Answered
    | RunFinished
    | TextStreamed,
    Field(discriminator="type"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
"""Reads and writes one event: `EVENT.validate_json(text)`, `EVENT.dump_json(event)`."""
