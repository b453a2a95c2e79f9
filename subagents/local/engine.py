"""The embedded model's engine: a server on loopback, in a process of its own, shared by all who open it here.

`open_engine` starts the process (see `serve`) for the first that asks, and ends it when the last has left. Whoever
opens the same model meanwhile gets the same server. Nothing here belongs to an event loop: the process is waited
for by looking at it now and then, so that it may be shared by several loops, and any of them may be cancelled.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

import anyio

from subagents.local.catalog import find_model
from subagents.local.errors import LocalEngineFailed, LocalEngineMissing
from subagents.local.settings import LocalSettings
from subagents.local.weights import weights_path

START_SECONDS = 120
POLL_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """A running engine."""

    base_url: str
    """Base URL for an OpenAI client, `http://127.0.0.1:PORT/v1`. It asks for no key. Send `Connection: close`: after
    a stream the server closes the connection though it has announced to keep it, and the next request on it fails."""
    model: str
    context_tokens: int
    """Tokens of prompt and reply together, for each request."""


@asynccontextmanager
async def open_engine(
    name: str | None = None, *, slots: int | None = None, context: int | None = None
) -> AsyncIterator[LocalEngine]:
    """Serve an embedded model until the end of the block.

    name: a model of the catalog; None is the default. A file that DYNAFLOW_LOCAL_MODEL names goes before both.
    slots: requests at once; None is DYNAFLOW_LOCAL_SLOTS, else 4. context: tokens a slot; None is
    DYNAFLOW_LOCAL_CONTEXT, else 8192, and never more than the model was trained for.
    Raises LocalModelMissing, LocalEngineMissing, LocalEngineFailed.
    """
    process = _join(_order(name, slots, context))
    try:
        yield await process.ready()
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_leave, process)


@dataclass(frozen=True, slots=True)
class _Order:
    """What `serve` is asked for; engines with equal orders are one."""

    path: str
    model: str
    slots: int
    context: int
    threads: int


def _order(name: str | None, slots: int | None, context: int | None) -> _Order:
    settings = LocalSettings.read()
    path = weights_path(name)
    if find_spec("xllamacpp") is None:
        raise LocalEngineMissing(
            "the engine of the embedded model is not installed: pip install 'dynaflow-orchestrator[local]'"
        )
    model = find_model(name) if settings.local_model is None else None
    wanted = context or settings.local_context
    return _Order(
        path=str(path),
        model=model.name if model else path.stem,
        slots=slots or settings.local_slots,
        context=min(wanted, model.context) if model else wanted,
        threads=len(os.sched_getaffinity(0)),
    )


class _Process:
    """One engine's process, and how many use it."""

    def __init__(self, order: _Order) -> None:
        self.order = order
        self.users = 0
        self._answer = b""
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(  # noqa: S603 - the interpreter itself, with our own script
            [sys.executable, "-P", str(Path(__file__).with_name("serve.py")), json.dumps(asdict(order))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            # Threads that wait in a spin take the cores from each other as soon as anything else runs here.
            env={**os.environ, "GOMP_SPINCOUNT": "1000"},
            start_new_session=True,  # Ctrl-C is for us: we end it when the last request has been given up
        )
        os.set_blocking(self._out, False)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    async def ready(self) -> LocalEngine:
        """Wait until the model is loaded. Raises LocalEngineFailed."""
        deadline = time.monotonic() + START_SECONDS
        while not self._loaded():
            if not self.alive:
                raise LocalEngineFailed(
                    f"the engine could not serve {self.order.path!r}: {self._last_words()}: "
                    "pull the model again, or name another file"
                )
            if time.monotonic() > deadline:
                raise LocalEngineFailed(
                    f"the engine did not load {self.order.path!r} within {START_SECONDS} s: "
                    "free some memory, or choose a smaller model"
                )
            await anyio.sleep(POLL_SECONDS)
        ready = json.loads(self._answer)
        return LocalEngine(f"{ready['address']}/v1", self.order.model, ready["context"])

    def end(self) -> None:
        """End the process, whatever it does; it keeps nothing that would be lost."""
        self._process.kill()
        self._process.communicate()
        self._log.close()

    @property
    def _out(self) -> int:
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def _loaded(self) -> bool:
        """Take what has come of the answer; several may wait for it at once."""
        with _GUARD:
            if not self._answer.endswith(b"\n"):
                with suppress(BlockingIOError):
                    self._answer += os.read(self._out, 200)
            return self._answer.endswith(b"\n")

    def _last_words(self) -> str:
        self._log.seek(0)
        lines = [line.strip() for line in self._log.read(100_000).decode(errors="replace").splitlines() if line.strip()]
        complaints = [found[1] for line in lines if (found := _COMPLAINT.match(line))]
        code = self._process.returncode
        ended = f"signal {-code}, perhaps out of memory" if code < 0 else f"status {code}"
        # The engine's first complaints say what is wrong, the later ones follow from them.
        return "; ".join([f"it ended with {ended}", *(list(dict.fromkeys(complaints))[:2] or lines[-3:])])


_COMPLAINT = re.compile(r"[\d.]+ E (.*)")
_GUARD = threading.Lock()
_RUNNING: dict[_Order, _Process] = {}


def _join(order: _Order) -> _Process:
    """The process of that order, started unless it runs already."""
    with _GUARD:
        process = _RUNNING.get(order)
        if process is None or not process.alive:
            process = _RUNNING[order] = _Process(order)
        process.users += 1
        return process


def _leave(process: _Process) -> None:
    """Give up a process; the last one ends it."""
    with _GUARD:
        process.users -= 1
        if process.users:
            return
        if _RUNNING.get(process.order) is process:
            del _RUNNING[process.order]
    process.end()
