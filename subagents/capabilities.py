"""What a model at an address can do, found out from the server's own answers and kept for the whole process.

The listing of models tells the context window (vLLM and llama.cpp, each in its own place); a refusal with status 400
that names a parameter teaches to leave that parameter out; the first whole reply shows whether usage comes in streams.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from subagents.failures import AttemptFailed
from subagents.messages import ChatRequest

Parameter = Literal["temperature", "top_p", "seed", "stream_options", "tools", "response_format", "max_tokens"]
_SCHEMA_WORDS = re.compile(r"response_format|json_schema|structured.output", re.IGNORECASE)
_TOOL_WORDS = re.compile(r"\btools?\b|tool.choice|function.call", re.IGNORECASE)
_PLAIN: tuple[Parameter, ...] = ("temperature", "top_p", "seed", "stream_options")
"""What a request can do without where a server refuses it: OpenAI's reasoning models take no temperature."""


@dataclass(slots=True)
class Capabilities:
    """What is known of one model at one address. None is not known."""

    context_tokens: int | None = None
    """Tokens of prompt and reply together."""
    tools: bool | None = None
    usage: bool | None = None
    """Whether streams end with the tokens that they took."""
    refused: set[Parameter] = field(default_factory=set)
    """Parameters that the server does not take; in place of `max_tokens` it takes `max_completion_tokens`."""

    @property
    def json_schema(self) -> bool:
        """Whether a reply can be asked for under a schema; believed until the server refuses it."""
        return "response_format" not in self.refused

    def learn(self, refusal: AttemptFailed, request: ChatRequest, left_out: Collection[Parameter]) -> bool:
        """Whether a refused request taught how to ask this server; it is worth asking again then.

        left_out: what the request was sent without. Of several that were out at once each learns the same.
        """
        name = _named(refusal, request, left_out)
        if name is None:
            return False
        self.refused.add(name)
        if name == "tools":
            self.tools = False
        return True


def _named(refusal: AttemptFailed, request: ChatRequest, left_out: Collection[Parameter]) -> Parameter | None:
    """The parameter that a refusal means, of those that were sent."""
    words = f"{refusal.param} {refusal}"
    named: list[Parameter] = []
    if request.schema_ is not None and _SCHEMA_WORDS.search(words):
        named.append("response_format")
    if request.tools and _TOOL_WORDS.search(words):
        named.append("tools")
    if "max_completion_tokens" in words:
        named.append("max_tokens")
    named += [name for name in _PLAIN if name == refusal.param or f"'{name}'" in words]
    return next((name for name in named if name not in left_out), None)


def stated_window(extra: dict[str, object]) -> int | None:
    """Tokens, as an entry of llama.cpp's (`meta.n_ctx`) and vLLM's (`max_model_len`) listing tells them."""
    meta = extra.get("meta")
    stated = (extra.get("max_model_len"), meta.get("n_ctx") if isinstance(meta, dict) else None)
    return next((value for value in stated if isinstance(value, int) and value > 0), None)
