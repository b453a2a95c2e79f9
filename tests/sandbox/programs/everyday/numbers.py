import math
from decimal import Decimal, ROUND_HALF_UP, getcontext
from fractions import Fraction
import statistics
result = [round(2.675, 2), 7 // 2, -7 // 2, -7 % 3, divmod(17, 5), 2 ** 10, 2 ** -1, 10 / 4, abs(-3), pow(3, 4, 5), math.sqrt(16), math.floor(-1.5), math.ceil(1.2), math.gcd(12, 18), math.isclose(0.1 + 0.2, 0.3), math.inf > 1, math.log(math.e), math.comb(5, 2), math.factorial(5), math.prod([1, 2, 3]), math.hypot(3, 4),
    str(Decimal("1.10") + Decimal("2.20")), str(Decimal("2.5").quantize(Decimal("1"), rounding=ROUND_HALF_UP)), str(Fraction(1, 3) + Fraction(1, 6)), float(Fraction("0.25")), statistics.mean([1, 2, 3, 4]), statistics.median([1, 3, 2]), statistics.mode("aab"), round(statistics.stdev([1, 2, 3, 4]), 4), int("ff", 16), int("1010", 2), bin(5), hex(255), float("1e3"), int(3.9), round(-2.5), sum([0.1] * 3), max(1, 2.5), min([3, 1], key=lambda v: -v), (3).bit_length(), (1.5).is_integer(), 0b11 & 0b01, 5 ^ 1, ~5, 1 << 4, complex(1, 2).imag, 1_000, 1e3, True + True, int(True), sum(range(101)), 3 == 3.0, math.trunc(2.7), math.nan != math.nan, bool(0.0), getcontext().prec]
