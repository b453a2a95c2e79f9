"""A real OpenAI-compatible server on 127.0.0.1 around a scripted model.

    async with LoopbackServer(script, latency=0.2) as server:   # or, without a loop: with serve(script) as server:
        model, agent_model = server.endpoint("main"), server.endpoint("agent")

It serves `GET /v1/models` and `POST /v1/chat/completions`, plain and streamed, over real sockets, and keeps a record of
each request, so that tests can assert what a server sees of a client: how many requests at once, which bodies, who
went away. The script decides on the reply when a request arrives; the latency passes before its first byte. Leaving
the block stops the server at once, breaking off replies that hang, and then checks that the script was consumed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self, TypedDict, Unpack

from aiohttp import web
from anyio import CancelScope
from anyio.from_thread import start_blocking_portal
from pydantic import ValidationError

from dynaflow.testing import wire
from dynaflow.testing.listening import Listening
from dynaflow.testing.reply import ErrorReply, Reply
from dynaflow.testing.request import MAIN, Request

if TYPE_CHECKING:
    from types import TracebackType

    from dynaflow.testing.faults import Style
    from dynaflow.testing.script import ScriptedModel

Outcome = Literal["in flight", "answered", "error", "cut", "cancelled", "stopped"]
"""What became of a request; `cancelled`: the client went away, `stopped`: the server was, `cut`: by the script."""

_LARGEST_BODY = 64 * 2**20
_PIECES = 4
_NOT_SUPPORTED = {
    "json_schema": "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
    "tools": "This server does not support tools.",
}


@dataclass(slots=True)
class ServedRequest:
    """What the server saw of one request. Times are those of `time.monotonic()`, in seconds."""

    number: int
    """Counted from 1, in the order of arrival."""
    request: Request
    headers: dict[str, str]
    """Names in lower case."""
    received: float
    first_byte: float | None = None
    finished: float | None = None
    status: int | None = None
    outcome: Outcome = "in flight"
    reply: Reply | ErrorReply | None = None
    prompt_tokens: int = 0
    """As reported to the client; 0 where no usage was sent."""
    completion_tokens: int = 0


class ServerOptions(TypedDict, total=False):
    """How a loopback server behaves; see `LoopbackServer`."""

    latency: float | Callable[[Request], float]
    style: Style
    context: int | None
    models: Sequence[str] | None
    refuses: Sequence[Literal["json_schema", "tools"]]


class LoopbackServer:
    """An OpenAI-compatible server around a script.

    `latency` is the seconds before the first byte of a chat reply, or a callable that tells them for a request.
    `style` says in whose manner `/v1/models` tells the `context` (tokens): llama.cpp's, vLLM's, or OpenAI's, which is
    not at all. With `models` every other model name is answered with 404; without, any name is served.
    Requests that use something in `refuses` are answered with 400 and do not reach the script.
    """

    def __init__(
        self,
        script: ScriptedModel,
        *,
        latency: float | Callable[[Request], float] = 0.0,
        style: Style = "openai",
        context: int | None = None,
        models: Sequence[str] | None = None,
        refuses: Sequence[Literal["json_schema", "tools"]] = (),
    ) -> None:
        self.script = script
        self.latency = latency
        self.style = style
        self.context = context
        self.models = models
        self.refuses = refuses
        self.log: list[ServedRequest] = []
        """Chat requests in the order of arrival."""
        self.in_flight = 0
        self.max_in_flight = 0
        self._arrival = asyncio.Event()
        self._listening = Listening()

    @property
    def base_url(self) -> str:
        """The address that an OpenAI client is given: `http://127.0.0.1:PORT/v1`."""
        if self._listening.port is None:
            raise RuntimeError("The server is not started: use it in a `with` or `async with` block")
        return f"http://127.0.0.1:{self._listening.port}/v1"

    def endpoint(self, model: str = MAIN) -> str:
        """The DynaFlow endpoint string of a model on this server: `http://127.0.0.1:PORT/v1#model`."""
        return f"{self.base_url}#{model}"

    @property
    def received(self) -> int:
        """Chat requests that came in."""
        return len(self.log)

    @property
    def cancelled(self) -> int:
        """Requests whose client went away before the reply was whole."""
        return sum(served.outcome == "cancelled" for served in self.log)

    @property
    def prompt_tokens(self) -> int:
        """Prompt tokens that were reported to clients."""
        return sum(served.prompt_tokens for served in self.log)

    @property
    def completion_tokens(self) -> int:
        """Completion tokens that were reported to clients."""
        return sum(served.completion_tokens for served in self.log)

    async def until_received(self, count: int) -> None:
        """Wait until so many chat requests, or more, have come in."""
        while self.received < count:
            await self._arrival.wait()

    async def until_idle(self) -> None:
        """Wait until no request is in flight: a client that goes away is seen only a moment later."""
        await self._listening.idle.wait()

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=_LARGEST_BODY)
        app.add_routes([web.get("/v1/models", self._models), web.post("/v1/chat/completions", self._chat)])
        await self._listening.start(app)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with CancelScope(shield=True):  # stopping waits for nobody, and must be whole also where a test was cancelled
            await self._listening.stop()
        self.script.conclude(error)

    async def _models(self, _: web.Request) -> web.Response:
        names = (MAIN, "agent") if self.models is None else self.models
        return web.json_response(wire.models_list(names, self.style, self.context))

    async def _chat(self, incoming: web.Request) -> web.StreamResponse:
        try:
            request = Request.model_validate_json(await incoming.read())
        except ValidationError as error:
            return _respond(ErrorReply(400, f"The body is not a chat request: {error}"))
        headers = {name.lower(): value for name, value in incoming.headers.items()}
        served = ServedRequest(self.received + 1, request, headers, time.monotonic())
        self._enter(served)
        try:
            return await self._serve(incoming, served)
        except (asyncio.CancelledError, ConnectionError) as gone:
            if served.outcome == "in flight":
                served.outcome = "stopped" if self._listening.stopping else "cancelled"
            if isinstance(gone, asyncio.CancelledError):
                raise
            return web.Response()  # nobody is there to read it
        except Exception:  # of the latency's callable, or a text that cannot be encoded; aiohttp answers 500
            served.outcome = "error"
            raise
        finally:
            self._leave(served)

    def _enter(self, served: ServedRequest) -> None:
        self.log.append(served)
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        self._listening.idle.clear()
        self._arrival.set()
        self._arrival = asyncio.Event()

    def _leave(self, served: ServedRequest) -> None:
        served.finished = time.monotonic()
        self.in_flight -= 1
        if not self.in_flight:
            self._listening.idle.set()

    async def _serve(self, incoming: web.Request, served: ServedRequest) -> web.StreamResponse:
        reply = served.reply = self._refusal(served.request) or self.script.answer(served.request)
        latency = self.latency(served.request) if callable(self.latency) else self.latency
        if latency > 0:
            await asyncio.sleep(latency)
        if isinstance(reply, ErrorReply):
            _begin(served, reply.status, "error")
            return _respond(reply)
        if served.request.stream:
            return await self._stream(incoming, served, reply)
        if await _broken(incoming, served, reply, sent=None):
            return web.Response()
        _begin(served, 200, "answered")
        self._report(served, reply)
        return web.json_response(wire.completion(served.request, reply, served.number))

    def _refusal(self, request: Request) -> ErrorReply | None:
        if self.models is not None and request.model not in self.models:
            message = f"The model `{request.model}` does not exist."
            return ErrorReply(404, message, code="model_not_found", param="model")
        used = {"json_schema": request.json_schema is not None, "tools": bool(request.tools)}
        param = {"json_schema": "response_format", "tools": "tools"}
        for feature in self.refuses:
            if used[feature]:
                return ErrorReply(400, _NOT_SUPPORTED[feature], param=param[feature])
        return None

    async def _stream(self, incoming: web.Request, served: ServedRequest, reply: Reply) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
        chunks = wire.stream_chunks(served.request, reply, served.number, _PIECES)
        for sent, chunk in enumerate(chunks):
            if await _broken(incoming, served, reply, sent):
                return response
            if not response.prepared:
                _begin(served, 200, "in flight")
                await response.prepare(incoming)
            await response.write(chunk)
        if await _broken(incoming, served, reply, sent=None):
            return response
        # From here on all has been said: a client that leaves at the last chunk has not cancelled.
        served.outcome = "answered"
        self._report(served, reply)
        await response.write(wire.DONE)
        await response.write_eof()
        return response

    def _report(self, served: ServedRequest, reply: Reply) -> None:
        if served.request.wants_usage and reply.usage:
            served.prompt_tokens = served.request.prompt_tokens
            served.completion_tokens = reply.completion_tokens


@contextmanager
def serve(script: ScriptedModel, **options: Unpack[ServerOptions]) -> Iterator[LoopbackServer]:
    """A loopback server in a thread of its own, for code without an event loop and for commands run as processes."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(LoopbackServer(script, **options)) as server,
    ):
        yield server


async def _broken(incoming: web.Request, served: ServedRequest, reply: Reply, sent: int | None) -> bool:
    """Let the reply hang or cut the connection where it is due after `sent` chunks; None: the reply has no more."""
    if _due(reply.stall_after, sent):
        await asyncio.Event().wait()
    if not _due(reply.cut_after, sent):
        return False
    served.outcome = "cut"
    if incoming.transport is not None:
        incoming.transport.close()  # sends what was written before
    return True


def _due(after: int | None, sent: int | None) -> bool:
    return after is not None and (sent is None or sent == after)


def _begin(served: ServedRequest, status: int, outcome: Outcome) -> None:
    served.first_byte, served.status, served.outcome = time.monotonic(), status, outcome


def _respond(error: ErrorReply) -> web.Response:
    return web.json_response(error.body, status=error.status, headers=error.headers)
