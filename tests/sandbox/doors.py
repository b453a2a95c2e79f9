"""Doors for the tests of the sandbox: a scripted host behind a real child process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial

import anyio

from sandbox import JSON, Contract, Failure, Function, Parameter, Reply, Request

AGENTS = ("solver", "researcher", "critic", "verifier", "planner", "router", "writer", "searcher")
FAILURES: dict[str, str | None] = {
    "CallFailed": None,
    "CallTimeout": "CallFailed",
    "BudgetExceeded": None,
    "UnknownAgent": None,
}
ASK = Function(
    "ask",
    (
        Parameter("agent", "choice", choices=AGENTS),
        Parameter("instruction", "text"),
        Parameter("inputs", "json", required=False, keyword_only=True),
        Parameter("returns", "shape", required=False, keyword_only=True),
        Parameter("label", "text", required=False, keyword_only=True),
    ),
)
BOARD = (
    Function("share", (Parameter("id", "text"), Parameter("value")), gives="value"),
    Function("recall", (Parameter("id", "text"),), gives="value"),
)
CONTRACT = Contract(
    (ASK, *BOARD),
    {"task": {"question": "What is 17 * 23?", "context": "", "answer_format": "a number"}},
    FAILURES,
    unknown_choice="UnknownAgent",
    upstream="CallFailed",
)

Answer = Callable[[Request], JSON | Failure]


class ScriptedDoor:
    """Answers each request by a function, after `latency` seconds; remembers what it saw."""

    def __init__(self, answer: Answer | None = None, latency: float = 0.0) -> None:
        self._answer = answer or echo
        self._latency = latency
        self.batches: list[list[Request]] = []
        self.cancelled: list[int] = []
        self.board: dict[str, JSON] = {}

    @property
    def requests(self) -> list[Request]:
        return [request for batch in self.batches for request in batch]

    def admit(self, batch: Sequence[Request]) -> Sequence[Callable[[], Awaitable[Reply]]]:
        self.batches.append(list(batch))
        return [self._serving(request) for request in batch]

    def deadline(self, number: int, seconds: float) -> Callable[[], Awaitable[None]]:
        return partial(anyio.sleep, seconds)

    def waiting(self, outstanding: Collection[int]) -> None:
        pass

    def _serving(self, request: Request) -> Callable[[], Awaitable[Reply]]:
        async def serve() -> Reply:
            if request.function == "share":
                self.board[str(request.arguments["id"])] = request.arguments["value"]
                return Reply(1)
            if request.function == "recall":
                return Reply(self.board[str(request.arguments["id"])])
            try:
                await anyio.sleep(self._latency)
            except BaseException:
                self.cancelled.append(request.call)
                raise
            answer = self._answer(request)
            return Reply(failure=answer) if isinstance(answer, Failure) else Reply(answer)

        return serve


def echo(request: Request) -> JSON:
    """`agent: instruction` for text; the simplest value that fits for other shapes."""
    shape = request.arguments.get("returns")
    text = f"{request.arguments['agent']}: {request.arguments['instruction']}"
    return text if not isinstance(shape, dict) else simplest(shape, text)


def simplest(shape: dict[str, object], text: str) -> JSON:
    kind = shape["kind"]
    if kind == "str":
        return text
    if kind == "literal":
        return shape["values"][0]
    if kind == "record":
        return {name: simplest(field["shape"], text) for name, field in shape["fields"].items()}
    if kind == "list":
        return [simplest(shape["item"], text)]
    return {"int": 1, "float": 1.5, "bool": True}.get(kind)
