"""Operators whose result can be huge: refused before they are computed. Sizes are measured on exact types."""

from __future__ import annotations

from typing import cast

MAX_BITS = 1_000_000
MAX_ITEMS = 32 * 2**20
_SEQUENCES = (str, bytes, list, tuple)


def guarded_pow(base: object, exponent: object, modulus: object = None) -> object:
    """`base ** exponent`. Raises OverflowError if a whole number would have more than a million bits."""
    if modulus is not None:
        return pow(cast("int", base), cast("int", exponent), cast("int", modulus))
    if type(base) in (int, bool) and type(exponent) in (int, bool):
        bits = cast("int", base).bit_length() * max(cast("int", exponent), 0)
        if bits > MAX_BITS and base not in (0, 1, -1):
            raise OverflowError(f"the power would have about {bits} bits; at most {MAX_BITS} are allowed")
    elif isinstance(base, int) and isinstance(exponent, int):
        raise TypeError("powers of subclasses of int are not part of the workflow language")
    return cast("int", base) ** cast("int", exponent)


def guarded_lshift(left: object, right: object) -> object:
    """`left << right`. Raises OverflowError if the result would have more than a million bits."""
    if isinstance(left, int) and isinstance(right, int) and int.bit_length(left) + right > MAX_BITS and left:
        raise OverflowError(f"the shifted number would have more than {MAX_BITS} bits")
    return cast("int", left) << cast("int", right)


def guarded_mul(left: object, right: object) -> object:
    """`left * right`. Raises MemoryError for a sequence, OverflowError for a number, that would be huge."""
    if isinstance(left, int) and isinstance(right, _SEQUENCES):
        left, right = right, left
    if isinstance(left, _SEQUENCES) and isinstance(right, int):
        if len(left) * int(right) > MAX_ITEMS:
            raise MemoryError(f"the repeated sequence would have more than {MAX_ITEMS} items")
    both = isinstance(left, int) and isinstance(right, int)
    if both and int.bit_length(cast("int", left)) + int.bit_length(cast("int", right)) > MAX_BITS:
        raise OverflowError(f"the product would have more than {MAX_BITS} bits")
    return left * right  # type: ignore[operator]
