"""A scripted model: rules that say whom they answer and with what, consumed exactly.

    script = ScriptedModel(
        main_agent(PROGRAM),
        in_any_order(sub_agent("Nolan", user="Inception"), sub_agent("Nolan", user="Tenet")),
        main_agent("<answer>yes</answer>"),
    )

Rules are taken in the order written. A request must match the rule whose turn it is; where several may come at once,
as from a program that runs its calls in parallel, `in_any_order` makes one step of several rules, of which the first
that matches and is not used up answers. A request that nothing answers gets HTTP 500 and is kept, and leaving the
`with` block of the script, or of the server around it, raises AssertionError naming every rule that was not used up
and every request that nothing answered. The main agent is whoever asks with the model name `main`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from dynaflow.testing.reply import Answer, ErrorReply, Reply, Responder, as_reply
from dynaflow.testing.request import MAIN, Request

if TYPE_CHECKING:
    from types import TracebackType

Text: TypeAlias = str | re.Pattern[str]
"""A substring, or a pattern that is searched for."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Whom a scripted model answers, with what, and how often. Every condition that is given must hold."""

    answer: Answer | Responder
    who: Literal["main agent", "sub-agent", "anyone"] = "anyone"
    model: str | None = None
    """The exact model name of the request."""
    system: Text | None = None
    """What the system message holds, for instance the instructions of one sub-agent."""
    user: Text | None = None
    """What the last user message holds, for instance the instruction of one call."""
    when: Callable[[Request], bool] | None = None
    times: int | None = 1
    """How many requests it must answer; None is any number, also none: as many as come before the next step's."""

    def __post_init__(self) -> None:
        if self.times is not None and self.times < 1:
            raise ValueError(f"times={self.times!r}: a rule answers at least once, or any number of times with None")

    def matches(self, request: Request) -> bool:
        """Whether the rule answers this request."""
        return (
            (self.who == "anyone" or (self.who == "main agent") == (request.model == MAIN))
            and (self.model is None or self.model == request.model)
            and _holds(request.system, self.system)
            and _holds(request.user, self.user)
            and (self.when is None or self.when(request))
        )

    def __str__(self) -> str:
        conditions = [("model", self.model), ("system", self.system), ("user", self.user), ("when", self.when)]
        told = [f"{name}={_name(value)}" for name, value in conditions if value is not None]
        return ", ".join([self.who, *told, f"answer={_name(self.answer)}"])


@dataclass(frozen=True, slots=True)
class AnyOrder:
    """One step of a script: rules that may be used in any order."""

    rules: tuple[Rule, ...]


def main_agent(
    answer: Answer | Responder,
    *,
    system: Text | None = None,
    user: Text | None = None,
    when: Callable[[Request], bool] | None = None,
    times: int | None = 1,
) -> Rule:
    """A rule for the main agent: requests with the model name `main`."""
    return Rule(answer, who="main agent", system=system, user=user, when=when, times=times)


def sub_agent(
    answer: Answer | Responder,
    *,
    model: str | None = None,
    system: Text | None = None,
    user: Text | None = None,
    when: Callable[[Request], bool] | None = None,
    times: int | None = 1,
) -> Rule:
    """A rule for sub-agents: requests with any model name but `main`; which one, by model, instructions or message."""
    return Rule(answer, who="sub-agent", model=model, system=system, user=user, when=when, times=times)


def anyone(answer: Answer | Responder, *, times: int | None = None) -> Rule:
    """A rule for every request, by default as often as one comes."""
    return Rule(answer, times=times)


def in_any_order(*rules: Rule) -> AnyOrder:
    """Rules that may be used in any order, as one step of a script; those that match alike go in the order written."""
    return AnyOrder(rules)


class ScriptedModel:
    """A model that follows a script; see the head of this module."""

    def __init__(self, *steps: Rule | AnyOrder) -> None:
        rules = [step.rules if isinstance(step, AnyOrder) else (step,) for step in steps]
        self._steps = [[_Entry(rule) for rule in step] for step in rules]
        self._at = 0
        self._errors: list[Exception] = []
        self.unmatched: list[Request] = []
        """Requests that nothing answered, in the order of arrival."""

    def answer(self, request: Request) -> Reply | ErrorReply:
        """The reply to a request; an HTTP 500 where no rule answers it, or the rule's own callable fails."""
        try:
            entry = self._find(request)
            if entry is None:
                self.unmatched.append(request)
                return _error(f"No rule of the script answers this request: {request.summary()}. {self._expected()}")
            entry.used += 1
            return as_reply(entry.rule.answer, request)
        except Exception as error:  # noqa: BLE001 - a rule's callable may raise anything; it is raised again at the end
            self._errors.append(error)
            return _error(f"A callable of the script failed: {error!r}")

    def assert_consumed(self) -> None:
        """Raise AssertionError unless every rule was used up and every request was answered."""
        problems = self._problems()
        if problems:
            first = self._errors[0] if self._errors else None
            raise AssertionError("The script was not followed exactly:\n" + "\n".join(problems)) from first

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.conclude(error)

    def conclude(self, error: BaseException | None) -> None:
        """At the end of a block: check the consumption, or where the block failed already, note what was wrong."""
        if error is None:
            self.assert_consumed()
        elif problems := self._problems():
            error.add_note("\n".join(["The script was not followed exactly:", *problems]))

    def _find(self, request: Request) -> _Entry | None:
        """The entry that answers; a step is passed only when all its rules have been used as often as they must."""
        for index in range(self._at, len(self._steps)):
            step = self._steps[index]
            for entry in step:
                if entry.is_open and entry.rule.matches(request):
                    self._at = index
                    return entry
            if not all(entry.is_satisfied for entry in step):
                return None
        return None

    def _problems(self) -> list[str]:
        entries = [entry for step in self._steps for entry in step]
        return [
            *(f"- a callable failed: {error!r}" for error in self._errors),
            *(f"- no rule answers the request: {request.summary()}" for request in self.unmatched),
            *(
                f"- rule {number} was used {entry.used} of {entry.rule.times} times: {entry.rule}"
                for number, entry in enumerate(entries, 1)
                if not entry.is_satisfied
            ),
        ]

    def _expected(self) -> str:
        open_entries = [entry for step in self._steps[self._at :] for entry in step if not entry.is_satisfied]
        return f"Next in the script: {open_entries[0].rule}" if open_entries else "The script has come to its end."


@dataclass(slots=True)
class _Entry:
    """A rule and how often it was used."""

    rule: Rule
    used: int = 0

    @property
    def is_open(self) -> bool:
        return self.rule.times is None or self.used < self.rule.times

    @property
    def is_satisfied(self) -> bool:
        return self.rule.times is None or self.used == self.rule.times


def _holds(text: str, wanted: Text | None) -> bool:
    if isinstance(wanted, re.Pattern):
        return wanted.search(text) is not None
    return wanted is None or wanted in text


def _name(value: object) -> str:
    if callable(value):
        return str(getattr(value, "__qualname__", repr(value)))
    text = repr(value.pattern if isinstance(value, re.Pattern) else value)
    return text if len(text) <= 80 else text[:77] + "..."


def _error(message: str) -> ErrorReply:
    # Asking again cannot help, so a client that heeds the header fails at once instead of after its retries.
    return ErrorReply(500, message, type="script_error", may_retry=False)
