"""Sub-agents: immutable specs in a pool, the endpoints of their models, and the exchange of one call.

async with Endpoints() as endpoints:
    reply = await answer(pool["solver"], Exchange(instruction="..."), endpoint=await endpoints.open("local"), ...)
"""

from subagents.answering import AgentReply, CallObserver, answer
from subagents.client import Endpoint
from subagents.endpoints import Endpoints, parse_endpoint
from subagents.errors import (
    AgentUnavailable,
    CallFailed,
    CallTimeout,
    ContextOverflow,
    EmptyReply,
    EndpointUnknown,
    PoolError,
    SchemaMismatch,
    SubAgentError,
    UnknownAgent,
)
from subagents.exchange import Exchange
from subagents.failures import AttemptFailed
from subagents.messages import Attempt, ChatReply, ChatRequest, Message, Sampling, TokenUsage, ToolSpec
from subagents.pool import Pool
from subagents.retry import chat
from subagents.search import Corpus, Passage, search_tool
from subagents.specs import NO_MODEL, Allowance, SubAgent
from subagents.tools import Tool, ToolFailed, ToolResult

__all__ = [
    "NO_MODEL", "AgentReply", "AgentUnavailable", "Allowance", "Attempt", "AttemptFailed", "CallFailed",
    "CallObserver", "CallTimeout", "ChatReply", "ChatRequest", "ContextOverflow", "Corpus", "EmptyReply", "Endpoint",
    "EndpointUnknown", "Endpoints", "Exchange", "Message", "Passage", "Pool", "PoolError", "Sampling",
    "SchemaMismatch", "SubAgent", "SubAgentError", "TokenUsage", "Tool", "ToolFailed", "ToolResult", "ToolSpec",
    "UnknownAgent", "answer", "chat", "parse_endpoint", "search_tool",
]  # fmt: skip
