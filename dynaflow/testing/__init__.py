"""Test your own pools and programs without a model: a scripted model, and a real loopback server around it.

    from dynaflow.testing import LoopbackServer, ScriptedModel, faults, main_agent, sub_agent

    script = ScriptedModel(
        main_agent("```python\nreturn ask('solver', task.question)\n```"),
        sub_agent(faults.status(503)),
        sub_agent("12"),
        main_agent("<answer>12</answer>"),
    )
    async with LoopbackServer(script) as server:
        ...  # the main agent on server.endpoint("main"), sub-agents on server.endpoint("agent")
    assert server.max_in_flight == 1

This package is the only place with canned replies, and `import dynaflow` does not import it.
"""

from dynaflow.testing import faults
from dynaflow.testing.echo import echo
from dynaflow.testing.network import RequestLeft, loopback_only
from dynaflow.testing.reply import ErrorReply, Reply, ToolCall, tool_call
from dynaflow.testing.request import Request, count_tokens
from dynaflow.testing.script import Rule, ScriptedModel, anyone, in_any_order, main_agent, sub_agent
from dynaflow.testing.server import LoopbackServer, ServedRequest, serve

__all__ = [
    "ErrorReply",
    "LoopbackServer",
    "Reply",
    "Request",
    "RequestLeft",
    "Rule",
    "ScriptedModel",
    "ServedRequest",
    "ToolCall",
    "anyone",
    "count_tokens",
    "echo",
    "faults",
    "in_any_order",
    "loopback_only",
    "main_agent",
    "serve",
    "sub_agent",
    "tool_call",
]
