"""A program of its own: serves one GGUF file on loopback, in the protocol of OpenAI. Run by `engine`.

    python -P serve.py '{"path": …, "model": …, "slots": 4, "context": 4096, "threads": 2}'

It imports nothing of ours. Once the model is loaded it writes one line of JSON to standard output, the address and
the tokens of context that each slot really has; everything else goes to standard error. It ends when standard input
ends or when its parent is another one than at the start: both happen when the parent dies, in whatever way, and the
second also while a fork of the parent keeps the pipe open; during the load it ends after the load. (The kernel's
death signal is no help here: it follows the thread that started us, which may end earlier than its process.)
"""

import http.client
import json
import os
import select
import sys
import threading
from typing import TypedDict
from urllib.parse import urlsplit

PROMPT_CACHE_MIB = 512
"""Memory for the prompts of earlier requests, beside what the slots hold; the engine's own default is 8 GiB."""


class Order(TypedDict):
    """What is to be served, and how."""

    path: str
    model: str
    slots: int
    context: int
    threads: int


def main(order: Order) -> int:
    """Serve until the parent is gone."""
    answer = os.dup(1)
    os.dup2(2, 1)  # the engine prints as it likes, and none of it may be taken for the address
    watch = threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True)
    watch.start()
    import xllamacpp

    try:
        server = xllamacpp.Server(_parameters(xllamacpp.CommonParams(), order))
    except RuntimeError:
        return 1  # the engine has said why on standard error
    address = server.listening_address
    ready = {"address": address, "context": _context(address)}
    os.write(answer, json.dumps(ready).encode() + b"\n")
    watch.join()
    return 0


def _parameters(parameters, order: Order):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202 - an untyped package
    parameters.model.path = order["path"]
    parameters.model_alias = {order["model"]}
    parameters.n_parallel = order["slots"]
    parameters.n_ctx = order["slots"] * order["context"]
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = order["threads"]
    parameters.cache_ram_mib = PROMPT_CACHE_MIB
    parameters.verbosity = 2  # errors and warnings
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.ui = parameters.endpoint_slots = False
    parameters.cors_origins, parameters.cors_origins_explicit = "http://127.0.0.1", True
    parameters.cors_credentials = False
    return parameters


def _context(address: str) -> int:
    """Tokens of a slot: the engine rounds what it was told, and cuts it to what the model was trained for."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc)  # whatever proxy the environment names
    connection.request("GET", "/v1/models")
    found: int = json.load(connection.getresponse())["data"][0]["meta"]["n_ctx"]
    connection.close()
    return found


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        if select.select([0], [], [], 1.0)[0] and not os.read(0, 1):
            break
    os._exit(0)  # not by an exception: the engine's threads would be waited for


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
