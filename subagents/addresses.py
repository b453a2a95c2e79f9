"""Endpoint strings: what they look like, and the addresses and keys that they stand for.

local, local:NAME                     the embedded model
openai:MODEL                          OpenAI, or what OPENAI_BASE_URL names (OPENAI_API_KEY)
vllm:MODEL                            a vLLM server at VLLM_BASE_URL, or on this machine's port 8000 (VLLM_API_KEY)
http://HOST:PORT/v1#MODEL, https://…  any OpenAI-compatible server (DYNAFLOW_API_KEY, if it wants a key)

Several servers of one model are written with commas between, `http://A/v1,http://B/v1#MODEL`, also in VLLM_BASE_URL.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from subagents.errors import EndpointUnknown

OPENAI_URL = "https://api.openai.com/v1"
VLLM_URL = "http://127.0.0.1:8000/v1"
_FORMS = "local, openai:MODEL, vllm:MODEL or http://HOST:PORT/v1#MODEL"


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint string, read."""

    kind: Literal["local", "openai", "vllm", "url"]
    model: str
    """Empty for `local` without a name."""
    base_urls: tuple[str, ...] = ()
    """One for each replica; none for `local`."""


def parse_endpoint(text: str) -> Address:
    """Read an endpoint string. Raises `EndpointUnknown` saying which forms there are."""
    text = text.strip()
    if text.startswith(("http://", "https://")):
        return _url(text)
    kind, _, model = text.partition(":")
    match kind:
        case "local":
            return Address("local", model)
        case "openai" if model:
            return Address("openai", model, _urls(os.environ.get("OPENAI_BASE_URL") or OPENAI_URL))
        case "vllm" if model:
            return Address("vllm", model, _urls(os.environ.get("VLLM_BASE_URL") or VLLM_URL))
        case "openai" | "vllm":
            raise EndpointUnknown(f"the endpoint {text!r} names no model; write {kind}:MODEL")
    raise EndpointUnknown(f"the endpoint {text!r} cannot be read; write {_FORMS}")


def api_key(address: Address) -> str:
    """The key for an address, of the environment. Raises `EndpointUnknown` where there must be one and is none."""
    if address.kind == "openai":
        key = os.environ.get("OPENAI_API_KEY", "")
        if not key:
            raise EndpointUnknown(
                f"the endpoint 'openai:{address.model}' needs OPENAI_API_KEY; set it, or use --model local"
            )
        return key
    name = "VLLM_API_KEY" if address.kind == "vllm" else "DYNAFLOW_API_KEY"
    return os.environ.get(name) or "none"


def _url(text: str) -> Address:
    addresses, _, model = text.partition("#")
    base_urls = _urls(addresses)
    if not model:
        raise EndpointUnknown(f"the endpoint {text!r} names no model; write {','.join(base_urls)}#MODEL")
    return Address("url", model, base_urls)


def _urls(text: str) -> tuple[str, ...]:
    """The addresses in a list with commas, each once."""
    return tuple(dict.fromkeys(checked_url(url.strip()) for url in text.split(",")))


def checked_url(url: str) -> str:
    """The address without a slash at its end. What may hold a secret is refused, and not repeated."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise EndpointUnknown("the endpoint's address is no URL; write http://HOST:PORT/v1#MODEL") from None
    if parts.username or parts.password or parts.query:
        raise EndpointUnknown(
            f"the endpoint at {parts.hostname!r} holds a password or a query, which would be written to the journal; "
            "put the key into DYNAFLOW_API_KEY"
        )
    if not usable:
        raise EndpointUnknown(f"the endpoint's address {url!r} is no URL; write http://HOST:PORT/v1#MODEL")
    return url.rstrip("/")
