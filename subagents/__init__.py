"""Sub-agents: immutable specs in a pool, the endpoints of their models, and the exchange of one call.

async with Endpoints() as endpoints:
    reply = await answer(pool["solver"], Exchange(instruction="..."), endpoint=await endpoints.open("local"), ...)
"""

from subagents.addresses import parse_endpoint
from subagents.answering import AgentReply, CallObserver, answer
from subagents.endpoint import Endpoint
from subagents.endpoints import Endpoints
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
from subagents.messages import Attempt, ChatReply, ChatRequest, Message, Sampling, Switch, TokenUsage, ToolSpec
from subagents.policy_specs import PolicySpec, ProgramPolicySpec
from subagents.pool import Pool
from subagents.prices import Price, price
from subagents.replicas import forget
from subagents.retry import Retries, chat
from subagents.search import Corpus, Passage, search_tool
from subagents.specs import NO_MODEL, Allowance, EndpointSpec, Fallback, SubAgent
from subagents.stand_ins import StandIn, stand_ins
from subagents.tools import Tool, ToolFailed, ToolResult

__all__ = [
    "NO_MODEL", "AgentReply", "AgentUnavailable", "Allowance", "Attempt", "AttemptFailed", "CallFailed", "CallObserver",
    "CallTimeout", "ChatReply", "ChatRequest", "ContextOverflow", "Corpus", "EmptyReply", "Endpoint", "EndpointSpec",
    "EndpointUnknown", "Endpoints", "Exchange", "Fallback", "Message", "Passage", "PolicySpec", "Pool", "PoolError",
    "Price", "ProgramPolicySpec", "Retries", "Sampling", "SchemaMismatch", "StandIn", "SubAgent", "SubAgentError",
    "Switch", "TokenUsage", "Tool", "ToolFailed", "ToolResult", "ToolSpec", "UnknownAgent", "answer", "chat", "forget",
    "parse_endpoint", "price", "search_tool", "stand_ins",
]  # fmt: skip
