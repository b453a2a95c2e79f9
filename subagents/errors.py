"""Why a call brought nothing, or a pool cannot be used.

SubAgentError
├── PoolError                  a pool file or spec is wrong: says file and field
├── UnknownAgent               no agent of that name in the pool
├── EndpointUnknown            an endpoint string that cannot be read, or needs a key that is not set
└── CallFailed                 a call ended without a reply that can be used
    ├── CallTimeout            no reply within the agent's time
    ├── SchemaMismatch         the reply does not fit the shape, also after one repair
    ├── EmptyReply             blank, refused or cut off before it was whole
    ├── ContextOverflow        the messages do not fit the model's window
    └── AgentUnavailable       the endpoint refused, is unreachable, or kept failing

Below a call, one request may end in `failures.AttemptFailed` and one use of a tool in `tools.ToolFailed`; what a
caller of `answer` or `retry.chat` sees of them is the `CallFailed` that they lead to.
"""

from __future__ import annotations


class SubAgentError(Exception):
    """Root of the tree."""


class PoolError(SubAgentError):
    """A pool file or a spec is wrong."""


class UnknownAgent(SubAgentError):
    """No agent of that name in the pool."""


class EndpointUnknown(SubAgentError):
    """An endpoint string that cannot be read, or that needs something which is not set."""


class CallFailed(SubAgentError):
    """A call ended without a reply that can be used. `cause` names the finer reason in one word."""

    def __init__(self, message: str, *, cause: str = "failed") -> None:
        super().__init__(message)
        self.cause = cause

    @property
    def kind(self) -> str:
        return type(self).__name__


class CallTimeout(CallFailed):
    """No reply within the agent's time."""


class SchemaMismatch(CallFailed):
    """The reply does not fit the shape that was asked for, also after one repair."""


class EmptyReply(CallFailed):
    """A blank, refused or cut-off reply."""


class ContextOverflow(CallFailed):
    """The messages do not fit the model's context window."""


class AgentUnavailable(CallFailed):
    """The endpoint refused the request, cannot be reached, or kept failing."""
