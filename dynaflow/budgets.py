"""Budgets: what may be used, as a tree of scopes (study > run > workflow > agent), reserved before it is spent.

Each scope has an allowance of calls, tokens, money, seconds and calls in flight. What is to be dispatched is reserved
first, in its own scope and in all those around it, so that an inner scope can only be tighter in effect. `reserve` takes a
whole batch, or refuses it whole with `BudgetExceeded`: it checks everything before it takes anything, and never awaits
in between, which makes it atomic on the event loop (a scope belongs to one loop). So what is dispatched never exceeds a limit.

Tokens and money are reserved by estimate, the prompt's and the longest reply's, and settled with what the endpoint
reported. What nobody reports (a stream that was cut, a model without a price) stays taken as it was reserved, is kept
apart as `unknown`, and counted; it is never taken for 0. Where the longest replies do not fit, all replies of the batch are
shortened alike, by halves, down to `LEAST_REPLY_TOKENS`; a batch that does not fit then is refused. An endpoint that
reports more than was estimated can carry a scope over its limit, by that difference and no further.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from decimal import Decimal

import anyio

from dynaflow.errors import BudgetExceeded, Limit, PriceUnknown
from subagents.messages import TokenUsage
from subagents.specs import Allowance

LEAST_REPLY_TOKENS = 256
"""Tokens below which no budget shortens a reply: one that is cut off there is paid for and of no use."""

Price = Callable[[TokenUsage], Decimal | None]
"""What tokens of one model cost, in US dollars; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Tariff:
    """Whose tokens are paid for, and what they cost."""

    model: str
    price: Price


@dataclass(frozen=True, slots=True)
class Amount:
    """So much of what is counted."""

    calls: int = 0
    tokens: int = 0
    usd: Decimal = Decimal(0)

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.calls + other.calls, self.tokens + other.tokens, self.usd + other.usd)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.calls - other.calls, self.tokens - other.tokens, self.usd - other.usd)


_NOTHING = Amount()


class Scope:
    """A part of the work, with an allowance of its own, within the scope around it."""

    def __init__(self, name: str, allowance: Allowance = Allowance(), within: Scope | None = None) -> None:
        """name: as messages call it, such as `the run`."""
        self.name = name
        self.allowance = allowance
        self.path: tuple[Scope, ...] = (self, *(within.path if within else ()))
        """This scope and those around it, the outermost last."""
        self.used = self.reserved = self.unknown = _NOTHING
        self.unmetered = 0
        """Requests whose tokens are not known."""
        self.unpriced = 0
        """Requests whose cost is not known."""
        self._opened = time.monotonic()
        self._slots = None if allowance.concurrency is None else anyio.CapacityLimiter(allowance.concurrency)

    def child(self, name: str, allowance: Allowance = Allowance()) -> Scope:
        """A scope within this one."""
        return Scope(name, allowance, self)

    @property
    def taken(self) -> Amount:
        """What counts against the allowance: used, reserved, and taken for what is not known."""
        return self.used + self.reserved + self.unknown

    @property
    def cost(self) -> Decimal | None:
        """US dollars of everything that was settled; None where the cost of some of it is not known."""
        return None if self.unpriced else self.used.usd

    @property
    def seconds(self) -> float:
        """Seconds since the scope was opened."""
        return time.monotonic() - self._opened

    def remaining(self, below: Scope | None = None) -> float | None:
        """Seconds until the first deadline here or around; None where there is none.

        below: only the deadlines inside this scope.
        """
        ends = [scope._time_left() for scope in self._with_deadline(below)]
        return max(min(ends), 0.0) if ends else None

    def left(self) -> Allowance:
        """What may still be used, here and in the scopes around."""
        calls = [s.allowance.calls - s.taken.calls for s in self.path if s.allowance.calls is not None]
        tokens = [s.allowance.tokens - s.taken.tokens for s in self.path if s.allowance.tokens is not None]
        usd = [s.allowance.usd - s.taken.usd for s in self.path if s.allowance.usd is not None]
        return Allowance(
            calls=max(min(calls), 0) if calls else None,
            tokens=max(min(tokens), 0) if tokens else None,
            usd=max(min(usd), Decimal(0)) if usd else None,
            seconds=self.remaining(),
        )

    def check_time(self) -> None:
        """Raise `BudgetExceeded` if a deadline here or around is over."""
        if self.remaining() == 0:
            raise self._out_of_time(None)

    def charge(self, amount: Amount) -> None:
        """Count what was used before, without asking whether it fits: the calls of a run that is resumed."""
        for scope in self.path:
            scope.used += amount

    def age(self, seconds: float) -> None:
        """Count time that had passed before the scope was opened: that of a run which goes on."""
        self._opened -= seconds

    @contextmanager
    def within_time(self, below: Scope | None = None) -> Iterator[None]:
        """Cancel what runs inside at the first deadline here or around, and raise `BudgetExceeded`.

        below: only at the deadlines inside this scope; whoever runs that one keeps its own.
        """
        with anyio.move_on_after(self.remaining(below)) as cancel:
            yield
        if cancel.cancelled_caught:
            raise self._out_of_time(below)

    @asynccontextmanager
    async def in_flight(self) -> AsyncIterator[None]:
        """Wait, first come first served, until here and in all scopes around another call may be in flight.

        The inner scopes come first: who waits for its agent takes no other agent's place in the run.
        """
        async with AsyncExitStack() as stack:
            for scope in self.path:
                if scope._slots is not None:
                    await stack.enter_async_context(_slot(scope._slots))
            yield

    def _with_deadline(self, below: Scope | None) -> list[Scope]:
        path = self.path if below is None else self.path[: self.path.index(below)]
        return [scope for scope in path if scope.allowance.seconds is not None]

    def _time_left(self) -> float:
        assert self.allowance.seconds is not None, "only a scope with a deadline has time left"
        return self.allowance.seconds - self.seconds

    def _out_of_time(self, below: Scope | None) -> BudgetExceeded:
        """Says which deadline was the first; a timer may ring a moment early, which is not asked again."""
        first = min(self._with_deadline(below), key=Scope._time_left)
        return BudgetExceeded(first.name, "seconds", first.allowance.seconds or 0, used=first.seconds)


@dataclass(frozen=True, slots=True)
class Need:
    """What one request needs of a scope."""

    scope: Scope
    tariff: Tariff
    prompt_tokens: int
    reply_tokens: int
    """At most; a budget may grant fewer, down to `LEAST_REPLY_TOKENS`."""
    calls: int = 1
    """0 for a further request of a call that is counted already, and for the main agent."""
    fixed: bool = False
    """Whether the reply cannot be shortened any more."""

    def shortened(self, tokens: int) -> int:
        """Tokens of the reply, where no reply may have more than so many."""
        return self.reply_tokens if self.fixed else min(self.reply_tokens, tokens)

    def amount(self, reply_tokens: int) -> Amount:
        """What to reserve for a reply of so many tokens. Raises `PriceUnknown`; money is counted only where it is limited."""
        usd: Decimal | None = Decimal(0)
        limit = next((scope for scope in self.scope.path if scope.allowance.usd is not None), None)
        if limit is not None and limit.allowance.usd is not None:
            usd = self.tariff.price(TokenUsage(prompt=self.prompt_tokens, completion=reply_tokens))
            if usd is None:
                raise PriceUnknown(limit.name, limit.allowance.usd, self.tariff.model)
        return Amount(self.calls, self.prompt_tokens + reply_tokens, usd or Decimal(0))


@dataclass(slots=True, eq=False)
class Reservation:
    """What was taken for one request. It is settled or released, exactly once."""

    scope: Scope
    amount: Amount
    reply_tokens: int
    """Tokens that its reply may have."""
    is_open: bool = True

    def settle(self, usage: TokenUsage | None, cost: Decimal | None) -> None:
        """The request is over: count what it used. None, and a usage that is not known, keep what was reserved."""
        metered = usage is not None and usage.known
        used = Amount(self.amount.calls, usage.total if usage and metered else 0, cost or Decimal(0))
        unknown = Amount(
            tokens=0 if metered else self.amount.tokens, usd=Decimal(0) if cost is not None else self.amount.usd
        )
        self._close()
        for scope in self.scope.path:
            scope.used += used
            scope.unknown += unknown
            scope.unmetered += not metered
            scope.unpriced += cost is None

    def release(self) -> None:
        """The request never left: give everything back."""
        self._close()

    def _close(self) -> None:
        if not self.is_open:
            raise RuntimeError("a reservation was settled or released twice")
        self.is_open = False
        for scope in self.scope.path:
            scope.reserved -= self.amount


def reserve(needs: Sequence[Need]) -> list[Reservation]:
    """Take what a batch needs, all or nothing. Raises `BudgetExceeded`, and then nothing is taken."""
    refusal: BudgetExceeded | None = None
    for longest in _lengths(needs):
        amounts = [need.amount(need.shortened(longest)) for need in needs]
        totals = _totals(needs, amounts)
        refusal = next(filter(None, map(_refusal, totals, totals.values())), None)
        if refusal is None:
            return [_taken(need, amount, longest) for need, amount in zip(needs, amounts, strict=True)]
        if refusal.limit in ("calls", "seconds"):
            break
    assert refusal is not None, "there is one length at least"
    raise refusal


def _lengths(needs: Sequence[Need]) -> Iterator[int]:
    """Of the replies at most: as long as asked for, then half of that, and so on."""
    longest = max((need.reply_tokens for need in needs), default=0)
    yield longest
    while longest > LEAST_REPLY_TOKENS:
        longest = max(longest // 2, LEAST_REPLY_TOKENS)
        yield longest


def _totals(needs: Sequence[Need], amounts: Sequence[Amount]) -> dict[Scope, Amount]:
    own: dict[Scope, Amount] = {}
    for need, amount in zip(needs, amounts, strict=True):
        own[need.scope] = own.get(need.scope, _NOTHING) + amount
    totals: dict[Scope, Amount] = {}
    for inner, amount in own.items():
        for scope in inner.path:
            totals[scope] = totals.get(scope, _NOTHING) + amount
    return totals


def _refusal(scope: Scope, asked: Amount) -> BudgetExceeded | None:
    """Why a scope does not allow so much more."""
    limits, spent, reserved = scope.allowance, scope.used + scope.unknown, scope.reserved
    if limits.seconds is not None and scope.seconds >= limits.seconds:
        return BudgetExceeded(scope.name, "seconds", limits.seconds, used=scope.seconds)
    counted: list[tuple[Limit, float | Decimal | None, float | Decimal, float | Decimal, float | Decimal]] = [
        ("calls", limits.calls, spent.calls, reserved.calls, asked.calls),
        ("tokens", limits.tokens, spent.tokens, reserved.tokens, asked.tokens),
        ("usd", limits.usd, spent.usd, reserved.usd, asked.usd),
    ]
    for limit, value, used, held, more in counted:
        if value is not None and more and used + held + more > value:  # type: ignore[operator]
            return BudgetExceeded(scope.name, limit, value, used=used, reserved=held, asked=more)
    return None


def _taken(need: Need, amount: Amount, longest: int) -> Reservation:
    for scope in need.scope.path:
        scope.reserved += amount
    return Reservation(need.scope, amount, need.shortened(longest))


@asynccontextmanager
async def _slot(slots: anyio.CapacityLimiter) -> AsyncIterator[None]:
    borrower = object()  # one task may hold several, which a limiter would refuse it
    await slots.acquire_on_behalf_of(borrower)
    try:
        yield
    finally:
        slots.release_on_behalf_of(borrower)
