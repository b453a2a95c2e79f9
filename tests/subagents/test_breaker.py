"""The breaker as a state machine against a model of it, on a clock that the test turns."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from subagents.breaker import FIRST_SECONDS, IN_A_ROW, LAST, MOST_SECONDS, Breaker


class BreakerMachine(RuleBasedStateMachine):
    """Requests go out, come back in any order, and time passes."""

    out = Bundle("out")

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.breaker = Breaker(clock=lambda: self.now)
        self.row = 0
        self.era = 0  # counts changes of state
        self.state = "closed"
        self.until = 0.0
        self.probe: int | None = None
        self.number = 0
        self.results: list[bool] = []

    def _change(self, state: str, seconds: float = 0.0) -> None:
        self.state, self.row, self.results, self.probe = state, 0, [], None
        self.era += 1
        self.until = self.now + seconds

    @rule(target=out)
    def ask(self) -> tuple[int, int, int] | None:
        ticket = self.breaker.admit()
        free = self.state == "closed" or (self.now >= self.until and self.probe is None)
        assert (ticket is not None) == free
        if ticket is None:
            return None
        self.number += 1
        if self.state == "open":
            self.probe = self.number
        return ticket, self.era, self.number

    @rule(request=consumes(out), how=st.sampled_from(["well", "badly", "never"]))
    def comes_back(self, request: tuple[int, int, int] | None, how: str) -> None:
        if request is None:
            return
        ticket, era, _ = request
        if how == "never":
            self.breaker.abandoned(ticket)
            self.probe = None if era == self.era else self.probe
            return
        self.breaker.succeeded(ticket) if how == "well" else self.breaker.failed(ticket, "it broke")
        if era != self.era:
            return  # late: tells nothing
        if self.state == "open":
            self._change("closed") if how == "well" else self._change("open", self.breaker.seconds_left)
            return
        self.row = self.row + 1 if how == "badly" else 0
        self.results = [*self.results, how == "badly"][-LAST:]
        many = len(self.results) == LAST and sum(self.results) * 2 >= LAST
        if how == "badly" and (self.row == IN_A_ROW or many):
            self._change("open", FIRST_SECONDS)

    @rule(seconds=st.floats(0.0, 2 * MOST_SECONDS))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @invariant()
    def state_is_told(self) -> None:
        told = "closed" if self.state == "closed" else "half-open" if self.now >= self.until else "open"
        assert self.breaker.state == told
        assert 0 <= self.breaker.seconds_left <= MOST_SECONDS
        assert (self.breaker.state == "open") == (self.breaker.seconds_left > 0)


BreakerMachine.TestCase.settings = settings(deadline=None, max_examples=100, stateful_step_count=60)
TestBreaker = BreakerMachine.TestCase


def opened(now: list[float]) -> Breaker:
    breaker = Breaker(clock=lambda: now[0])
    for _ in range(IN_A_ROW):
        ticket = breaker.admit()
        assert ticket is not None
        breaker.failed(ticket, "status 500")
    return breaker


def test_a_probe_that_fails_doubles_the_time() -> None:
    now = [0.0]
    breaker = opened(now)
    waits = []
    for _ in range(9):
        waits.append(breaker.seconds_left)
        now[0] += breaker.seconds_left
        probe = breaker.admit()
        assert probe is not None
        assert breaker.admit() is None, "one probe at a time"
        breaker.failed(probe, "still")
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_half_of_the_last_twenty_is_too_much() -> None:
    breaker = Breaker()
    for number in range(LAST):
        assert breaker.state == "closed"
        ticket = breaker.admit()
        assert ticket is not None
        breaker.failed(ticket, "status 500") if number % 2 else breaker.succeeded(ticket)
    assert breaker.state == "open"


def test_it_says_since_when_and_when_the_next_probe_goes() -> None:
    now = [0.0]
    breaker = opened(now)
    now[0] = 0.25
    assert "(status 500); the next probe goes in 0.8 seconds" in breaker.told()
    now[0] = 1.0
    breaker.admit()
    assert "a probe is under way" in breaker.told()
    breaker.reset()
    assert breaker.state == "closed"
    breaker.trip("nobody there")
    assert "nobody there" in breaker.told()
