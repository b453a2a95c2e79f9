"""Runs one untrusted program under limits. Knows nothing of language models.

    async with open_sandbox() as sandbox:
        findings = await sandbox.check(program, contract)
        outcome = await sandbox.run(program, contract, door)

The engine is imported when it is first used, so that the child processes, which import this package too,
stay small.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from sandbox.contract import JSON, MODULES, Contract, Failure, Finding, Function, Parameter, Reply, Request, Source
from sandbox.limits import Limits

if TYPE_CHECKING:
    from sandbox.engine import ZygoteSandbox, open_sandbox
    from sandbox.protocol import Door, Level, Outcome, Sandbox, Setting, Usage

__all__ = [
    "JSON",
    "MODULES",
    "Contract",
    "Door",
    "Failure",
    "Finding",
    "Function",
    "Level",
    "Limits",
    "Outcome",
    "Parameter",
    "Reply",
    "Request",
    "Sandbox",
    "Setting",
    "Source",
    "Usage",
    "ZygoteSandbox",
    "open_sandbox",
]

_HOME = {"ZygoteSandbox": "sandbox.engine", "open_sandbox": "sandbox.engine"}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'sandbox' has no attribute {name!r}")
    return getattr(import_module(_HOME.get(name, "sandbox.protocol")), name)
