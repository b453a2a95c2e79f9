"""Operators whose result can be huge: refused before they are computed.

Sizes are measured with the methods of the exact types (`int.bit_length(x)`, `str.__len__(x)`), never with those of the
value, because a program's enum can derive from `int` or `str` and lie about itself.
"""

from __future__ import annotations

import fractions
from collections import deque
from collections.abc import Callable
from typing import cast

MAX_BITS = 1_000_000
MAX_ITEMS = 32 * 2**20
_LENGTHS: tuple[tuple[type, Callable[[object], int]], ...] = tuple(
    (kind, cast("Callable[[object], int]", kind.__dict__["__len__"])) for kind in (str, bytes, list, tuple, deque)
)


def guarded_pow(base: object, exponent: object, modulus: object = None) -> object:
    """`base ** exponent`. Raises OverflowError if a whole number would have more than a million bits."""
    if modulus is not None:
        return pow(cast("int", base), cast("int", exponent), cast("int", modulus))
    if isinstance(exponent, int) and isinstance(base, (int, fractions.Fraction)):
        bits = _bits(base) * abs(int.__index__(exponent))
        shrinks = isinstance(base, int) and int.__lt__(exponent, 0)
        if _bits(base) > 1 and bits > MAX_BITS and not shrinks:
            raise OverflowError(f"the power would have about {bits} bits; at most {MAX_BITS} are allowed")
    return cast("int", base) ** cast("int", exponent)


def guarded_lshift(left: object, right: object) -> object:
    """`left << right`. Raises OverflowError if the result would have more than a million bits."""
    if isinstance(left, int) and isinstance(right, int):
        bits = _bits(left) + int.__index__(right)
        if bits > MAX_BITS and _bits(left):
            raise OverflowError(f"the shifted number would have {bits} bits; at most {MAX_BITS} are allowed")
    return cast("int", left) << cast("int", right)


def guarded_mul(left: object, right: object) -> object:
    """`left * right`. Raises MemoryError for a sequence, OverflowError for a number, that would be huge."""
    for sequence, times in ((left, right), (right, left)):
        if isinstance(times, int) and _length(sequence) * int.__index__(times) > MAX_ITEMS:
            raise MemoryError(f"the repeated sequence would have more than {MAX_ITEMS} items")
    if isinstance(left, int) and isinstance(right, int) and _bits(left) + _bits(right) > MAX_BITS:
        raise OverflowError(f"the product would have more than {MAX_BITS} bits")
    return left * right  # type: ignore[operator]


def guarded_imul(left: object, right: object) -> object:
    """`left *= right`, in place where the left side can."""
    if not (isinstance(left, list) and isinstance(right, int)):
        return guarded_mul(left, right)
    if list.__len__(left) * int.__index__(right) > MAX_ITEMS:
        raise MemoryError(f"the repeated sequence would have more than {MAX_ITEMS} items")
    left *= right
    return left


def _bits(number: int | fractions.Fraction) -> int:
    if isinstance(number, fractions.Fraction):
        return max(_bits(number.numerator), _bits(number.denominator))
    return int.bit_length(number)


def _length(thing: object) -> int:
    return next((length(thing) for kind, length in _LENGTHS if isinstance(thing, kind)), 0)
