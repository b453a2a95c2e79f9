"""`math`, `statistics`, `fractions`, `decimal`, `random`: numbers."""

from __future__ import annotations

import decimal
import fractions
import math
import random
import statistics

from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.runtime import Runtime

MAX_FACTORIAL = 20_000
MAX_PRECISION = 1_000
MAX_RANDOM_BITS = 100_000
_STATISTICS = (
    "mean fmean geometric_mean harmonic_mean median median_low median_high median_grouped mode multimode quantiles "
    "pstdev pvariance stdev variance correlation covariance linear_regression StatisticsError"
)
_ROUNDINGS = "ROUND_HALF_UP ROUND_HALF_EVEN ROUND_HALF_DOWN ROUND_DOWN ROUND_UP ROUND_CEILING ROUND_FLOOR ROUND_05UP"
_DECIMAL = "Decimal DecimalException InvalidOperation DivisionByZero Overflow"
_RANDOM = (
    "random uniform randint randrange choice choices shuffle sample gauss normalvariate lognormvariate triangular "
    "betavariate gammavariate expovariate paretovariate weibullvariate vonmisesvariate"
)


# Python 3.13 imports the hash for a seed of text at the moment of need, which is too late behind the wall.
random.Random("text")  # noqa: S311


def math_facade(runtime: Runtime) -> Facade:
    """`math`, with factorials and binomials of bounded size."""

    def factorial(n: int) -> int:
        return math.factorial(_bounded(n, "factorial"))

    def comb(n: int, k: int) -> int:
        return math.comb(_bounded(n, "comb"), k)

    def perm(n: int, k: int | None = None) -> int:
        return math.perm(_bounded(n, "perm"), k)

    members = {name: value for name, value in vars(math).items() if not name.startswith("_")}
    return Facade("math", {**members, "factorial": factorial, "comb": comb, "perm": perm})


def statistics_facade(runtime: Runtime) -> Facade:
    """`statistics`, without `NormalDist`, which draws from the machine's randomness."""
    return Facade("statistics", {name: getattr(statistics, name) for name in _STATISTICS.split()})


def fractions_facade(runtime: Runtime) -> Facade:
    """`fractions`."""
    return Facade("fractions", {"Fraction": fractions.Fraction})


def decimal_facade(runtime: Runtime) -> Facade:
    """`decimal`, with a precision of at most a thousand digits."""
    runtime.classes.add(_Context)
    context = _Context()

    def localcontext(ctx: object = None, *, prec: int | None = None) -> _LocalContext:
        return _LocalContext(context, prec)

    members: dict[str, object] = {name: getattr(decimal, name) for name in f"{_DECIMAL} {_ROUNDINGS}".split()}
    return Facade("decimal", {**members, "getcontext": lambda: context, "localcontext": localcontext})


class _Context:
    """What programs set of the decimal context that is current."""

    __slots__ = ()

    @property
    def prec(self) -> int:
        return decimal.getcontext().prec

    @prec.setter
    def prec(self, digits: int) -> None:
        if not 1 <= digits <= MAX_PRECISION:
            raise ValueError(f"a precision must be between 1 and {MAX_PRECISION} digits")
        decimal.getcontext().prec = digits

    @property
    def rounding(self) -> str:
        return decimal.getcontext().rounding

    @rounding.setter
    def rounding(self, way: str) -> None:
        decimal.getcontext().rounding = way


class _LocalContext:
    """Puts precision and rounding back when the block ends. Our own, because the real one hands out what it holds."""

    __slots__ = ("_context", "_prec", "_saved")

    def __init__(self, context: _Context, prec: int | None) -> None:
        self._context = context
        self._prec = prec
        self._saved = (context.prec, context.rounding)

    def __enter__(self) -> _Context:
        self._saved = (self._context.prec, self._context.rounding)
        if self._prec is not None:
            self._context.prec = self._prec
        return self._context

    def __exit__(self, *_: object) -> None:
        self._context.prec, self._context.rounding = self._saved


def random_facade(runtime: Runtime) -> Facade:
    """`random`, seeded with the run's seed."""
    module = _generator(runtime, None)
    return Facade("random", {**module._members, "Random": lambda x=None: _generator(runtime, x)})


def _generator(runtime: Runtime, start: object) -> Facade:
    """The methods of one generator, seeded; without a seed, with that of the run."""
    generator = random.Random(0)  # noqa: S311 - reproducible on purpose

    def seed(a: object = None, version: int = 2) -> None:
        exact = type(a) in (int, float, str, bytes)
        generator.seed(runtime.seed if a is None else a if exact else str(a))  # type: ignore[arg-type]

    def getrandbits(k: int) -> int:
        if k > MAX_RANDOM_BITS:
            raise OverflowError(f"random.getrandbits() gives at most {MAX_RANDOM_BITS} bits")
        return generator.getrandbits(k)

    seed(start)
    members: dict[str, object] = {name: getattr(generator, name) for name in _RANDOM.split()}
    return Facade("random", {**members, "seed": seed, "getrandbits": getrandbits})


def _bounded(n: int, function: str) -> int:
    exact = int.__index__(n)
    if exact > MAX_FACTORIAL:
        raise OverflowError(f"math.{function} of more than {MAX_FACTORIAL} is not computed here")
    return exact
