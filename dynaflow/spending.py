"""What the requests of one speaker (the main agent in a turn, a sub-agent in a call) take from a budget.

A purse reserves before each request and settles after each attempt at it: an attempt that is to be tried again reserves
anew, so that a retry is paid from the budget like everything else. The first request of a call is reserved together with
its batch, before anything is dispatched, from what will open the conversation.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal

from pydantic import JsonValue

from dynaflow.budgets import Need, Reservation, Scope, Tariff, reserve
from dynaflow.token_estimate import estimate_tokens
from subagents import NO_MODEL, Attempt, ChatRequest, Endpoint, Exchange, Message, SubAgent, TokenUsage
from subagents.exchange import opening

NOTHING_TO_PAY = Tariff(NO_MODEL, lambda usage: Decimal(0))
"""Of an agent that answers without a model."""
_MESSAGE_TOKENS = 8
"""Of a message's frame in a model's chat template."""
_SHAPE_WORDS = "Reply with JSON only, as described: "


class Purse:
    """Pays the requests of one speaker from a scope."""

    def __init__(self, scope: Scope, tariff: Tariff) -> None:
        self.usage = TokenUsage()
        """Of all attempts."""
        self.cost: Decimal | None = Decimal(0)
        """Of all attempts, in US dollars; None once that of one is not known."""
        self.shortened_to: int | None = None
        """Tokens of the reply, where the budget left fewer than were wanted."""
        self._scope, self._tariff = scope, tariff
        self._held: Reservation | None = None
        self._request: ChatRequest | None = None

    def need(self, messages: Iterable[Message], reply_tokens: int, *, calls: int, more: Sequence[str] = ()) -> Need:
        """What a request needs; `more` are texts that go out beside its messages."""
        texts = [message.content for message in messages]
        prompt = sum(map(estimate_tokens, [*texts, *more])) + _MESSAGE_TOKENS * len(texts)
        return Need(self._scope, self._tariff, prompt, reply_tokens, calls)

    def hold(self, reservation: Reservation) -> None:
        """Take over what was reserved for the next request."""
        self._held = reservation

    def asking(self, request: ChatRequest, tariff: Tariff) -> ChatRequest:
        """Reserve for a request that is about to go out, if that is not done; gives it with the reply that it may have.

        tariff: of the endpoint that is asked, which may stand in for another. Raises `BudgetExceeded`.
        """
        wanted = request.sampling.max_tokens
        other, self._tariff = tariff.model != self._tariff.model, tariff
        if self._held is None or other:
            self._reserve_anew(request)
        assert self._held is not None, "what does not fit raises"
        granted = min(self._held.reply_tokens, wanted)
        self.shortened_to = granted if granted < wanted else None
        sampling = request.sampling.model_copy(update={"max_tokens": granted})
        self._request = request.model_copy(update={"sampling": sampling})
        return self._request

    def attempted(self, attempt: Attempt) -> None:
        """An attempt is over. Raises `BudgetExceeded` if another is to follow and does not fit."""
        self.usage += attempt.usage
        self.cost = None if self.cost is None or attempt.cost is None else self.cost + attempt.cost
        self._settle(attempt.usage, attempt.cost)
        if attempt.retry_after is not None and self._request is not None:
            (self._held,) = reserve([replace(self._need_of(self._request), fixed=True)])

    def leave(self) -> None:
        """The call is served without a model: it counts, and takes neither tokens nor money."""
        self._settle(TokenUsage(), Decimal(0))

    def close(self) -> None:
        """Nothing more will be asked: what is held for a request that never left goes back."""
        if self._held is not None:
            self._held.release()
            self._held = None

    def _reserve_anew(self, request: ChatRequest) -> None:
        """Reserve for a request, in place of what is held: the call that it counts, if it does, stays counted."""
        calls = self._held.amount.calls if self._held is not None else 0
        self.close()
        (self._held,) = reserve([replace(self._need_of(request), calls=calls)])

    def _need_of(self, request: ChatRequest) -> Need:
        more = [tool.model_dump_json() for tool in request.tools]
        return self.need(request.messages, request.sampling.max_tokens, calls=0, more=more)

    def _settle(self, usage: TokenUsage, cost: Decimal | None) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            held.settle(usage, cost)


def tariff_of(endpoint: Endpoint | None) -> Tariff:
    """What the tokens of an endpoint cost; without one there is nothing to pay but the call."""
    return NOTHING_TO_PAY if endpoint is None else Tariff(endpoint.name, endpoint.price)


def opening_need(purse: Purse, agent: SubAgent, exchange: Exchange) -> Need:
    """What the first request of a call needs."""
    if agent.model == NO_MODEL:
        return purse.need((), 0, calls=1)
    shape = () if exchange.shape is None else (_SHAPE_WORDS, _as_json(exchange.shape))
    return purse.need(opening(agent, exchange), agent.sampling.max_tokens, calls=1, more=shape)


def _as_json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
