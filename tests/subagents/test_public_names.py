"""What `subagents` exports, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys

import subagents

NAMES = set(
    """
NO_MODEL AgentReply AgentUnavailable Allowance Attempt AttemptFailed CallFailed CallObserver CallTimeout ChatReply ChatRequest
ContextOverflow Corpus EmptyReply Endpoint EndpointUnknown Endpoints Exchange Message Passage Pool PoolError Sampling
SchemaMismatch SubAgent SubAgentError TokenUsage Tool ToolFailed ToolResult ToolSpec UnknownAgent answer chat
parse_endpoint search_tool EndpointSpec Fallback Price Retries StandIn Switch forget price stand_ins PolicySpec
ProgramPolicySpec
""".split()  # noqa: SIM905 - a list to read
)


def test_the_public_names() -> None:
    assert set(subagents.__all__) == NAMES
    assert all(hasattr(subagents, name) for name in NAMES)


def test_importing_loads_nothing_heavy() -> None:
    heavy = (
        "openai",
        "httpx2",
        "aiohttp",
        "bm25s",
        "numpy",
        "json_repair",
        "yaml",
        "xllamacpp",
        "torch",
        "genai_prices",
    )
    code = f"import sys, subagents; print(*[name for name in {heavy!r} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
