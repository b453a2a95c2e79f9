"""What an attempt costs, in US dollars; a price that is not known is None, never 0.

A price that the pool file gives for an endpoint goes first; else genai-prices is asked, which knows the price lists of
the public providers by model and address. It is loaded when the first endpoint that may be on a list is opened.
"""

from __future__ import annotations

from decimal import Decimal
from ipaddress import ip_address
from urllib.parse import urlsplit

from pydantic import Field

from subagents.messages import Frozen, TokenUsage

_MILLION = 1_000_000


class Price(Frozen):
    """US dollars for a million tokens."""

    input: Decimal = Field(ge=0)
    output: Decimal = Field(ge=0)

    def of(self, usage: TokenUsage) -> Decimal | None:
        """What so many tokens cost; None where some are not known, unless they cost nothing."""
        if not usage.known and (self.input or self.output):
            return None
        return (usage.prompt * self.input + usage.completion * self.output) / _MILLION


FREE = Price(input=Decimal(0), output=Decimal(0))
"""Of the embedded model."""


def price(model: str, base_url: str, usage: TokenUsage) -> Decimal | None:
    """What the provider at `base_url` takes for these tokens; None where the model's price or the usage is not known.

    Tokens that the provider had cached count in full, so that the sum is rather too high than too low.
    """
    if not usage.known or _is_private(base_url):
        return None
    from genai_prices import Usage, calc_price

    tokens = Usage(input_tokens=usage.prompt, output_tokens=usage.completion)
    try:
        return calc_price(tokens, model, provider_api_url=base_url).total_price
    except (LookupError, ValueError):  # not on the list, or its price depends on what is not known
        return None


def _is_private(base_url: str) -> bool:
    """Whether the address is of this machine or network, where no provider is."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host
