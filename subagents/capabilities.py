"""What a model at an address can do, found out from the server's own answers and kept for the whole process.

The listing of models tells the context window (vLLM and llama.cpp, each in its own place); a refusal with status 400
that names a parameter teaches to leave that parameter out; the first whole reply shows whether usage comes in streams.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from subagents.failures import AttemptFailed
from subagents.messages import ChatRequest

Optional = Literal["temperature", "top_p", "seed", "stream_options", "tools", "response_format", "max_tokens"]
_SCHEMA_WORDS = re.compile(r"response_format|json_schema|structured.output", re.IGNORECASE)
_TOOL_WORDS = re.compile(r"\btools?\b|tool.choice|function.call", re.IGNORECASE)
_PLAIN: tuple[Optional, ...] = ("temperature", "top_p", "seed", "stream_options")
"""What a request can do without where a server refuses it: OpenAI's reasoning models take no temperature."""


@dataclass(slots=True)
class Capabilities:
    """What is known of one model at one address. None is not known."""

    context_tokens: int | None = None
    """Tokens of prompt and reply together."""
    tools: bool | None = None
    usage: bool | None = None
    """Whether streams end with the tokens that they took."""
    refused: set[Optional] = field(default_factory=set)
    """Parameters that the server does not take; in place of `max_tokens` it takes `max_completion_tokens`."""

    @property
    def json_schema(self) -> bool:
        """Whether a reply can be asked for under a schema; believed until the server refuses it."""
        return "response_format" not in self.refused

    def learn(self, refusal: AttemptFailed, request: ChatRequest) -> bool:
        """Whether a refused request taught how to ask this server; it is worth asking again then."""
        words = f"{refusal.param} {refusal}"
        name = self._named(refusal.param, words, request)
        if name is None or name in self.refused:
            return False
        self.refused.add(name)
        if name == "tools":
            self.tools = False
        return True

    def _named(self, param: str | None, words: str, request: ChatRequest) -> Optional | None:
        if request.schema_ is not None and self.json_schema and _SCHEMA_WORDS.search(words):
            return "response_format"
        if request.tools and "tools" not in self.refused and _TOOL_WORDS.search(words):
            return "tools"
        if "max_completion_tokens" in words:
            return "max_tokens"
        return next((name for name in _PLAIN if name == param or f"'{name}'" in words), None)


def stated_window(extra: dict[str, object]) -> int | None:
    """Tokens, as an entry of llama.cpp's (`meta.n_ctx`) and vLLM's (`max_model_len`) listing tells them."""
    meta = extra.get("meta")
    stated = (extra.get("max_model_len"), meta.get("n_ctx") if isinstance(meta, dict) else None)
    return next((value for value in stated if isinstance(value, int) and value > 0), None)
