"""`math`, `statistics`, `fractions`, `decimal`, `random`, `heapq`, `bisect`, `copy`: numbers and orders."""

from __future__ import annotations

import bisect
import copy
import decimal
import fractions
import heapq
import math
import random
import statistics

from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.runtime import Runtime

MAX_FACTORIAL = 20_000
MAX_PRECISION = 1_000
_STATISTICS = (
    "mean fmean geometric_mean harmonic_mean median median_low median_high mode multimode quantiles pstdev pvariance "
    "stdev variance correlation covariance linear_regression StatisticsError"
)
_RANDOM = "random uniform randint randrange choice choices shuffle sample gauss normalvariate triangular betavariate expovariate"


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
    """`statistics`."""
    return Facade("statistics", {name: getattr(statistics, name) for name in _STATISTICS.split()})


def fractions_facade(runtime: Runtime) -> Facade:
    """`fractions`."""
    return Facade("fractions", {"Fraction": fractions.Fraction})


def decimal_facade(runtime: Runtime) -> Facade:
    """`decimal`, with a precision of at most a thousand digits."""

    class Context:
        """The one thing of a decimal context that programs set."""

        @property
        def prec(self) -> int:
            return decimal.getcontext().prec

        @prec.setter
        def prec(self, digits: int) -> None:
            if not 1 <= digits <= MAX_PRECISION:
                raise ValueError(f"a precision must be between 1 and {MAX_PRECISION} digits")
            decimal.getcontext().prec = digits

    runtime.classes.add(Context)
    context = Context()
    names = "Decimal InvalidOperation DivisionByZero ROUND_HALF_UP ROUND_HALF_EVEN ROUND_DOWN ROUND_UP ROUND_CEILING ROUND_FLOOR"
    members: dict[str, object] = {name: getattr(decimal, name) for name in names.split()}
    return Facade("decimal", {**members, "getcontext": lambda: context})


def random_facade(runtime: Runtime) -> Facade:
    """`random`, seeded with the run's seed."""

    def made(seed: object = None) -> Facade:
        generator = random.Random(runtime.seed if seed is None else str(seed))  # noqa: S311 - reproducible on purpose
        members: dict[str, object] = {name: getattr(generator, name) for name in _RANDOM.split()}

        def reseed(value: object = None) -> None:
            generator.seed(runtime.seed if value is None else str(value))

        return Facade("random", {**members, "seed": reseed})

    module = made()
    return Facade("random", {**module._members, "Random": made})


def heapq_facade(runtime: Runtime) -> Facade:
    """`heapq`."""
    names = "heappush heappop heapify heapreplace heappushpop nlargest nsmallest merge"
    return Facade("heapq", {name: getattr(heapq, name) for name in names.split()})


def bisect_facade(runtime: Runtime) -> Facade:
    """`bisect`."""
    names = "bisect bisect_left bisect_right insort insort_left insort_right"
    return Facade("bisect", {name: getattr(bisect, name) for name in names.split()})


def copy_facade(runtime: Runtime) -> Facade:
    """`copy`, of plain data and the program's own objects."""

    def checked(thing: object, depth: int = 0) -> None:
        plain = thing is None or isinstance(thing, (bool, int, float, complex, str, bytes))
        if plain or runtime.classes.has(thing) or depth > 50:
            return
        if isinstance(thing, dict):
            for key, value in thing.items():
                checked(key, depth + 1)
                checked(value, depth + 1)
        elif isinstance(thing, (list, tuple, set, frozenset)):
            for item in thing:
                checked(item, depth + 1)
        else:
            raise TypeError(f"a {type(thing).__name__} cannot be copied here")

    def shallow(thing: object) -> object:
        checked(runtime.value(thing), 50)
        return copy.copy(runtime.value(thing))

    def deep(thing: object) -> object:
        checked(runtime.value(thing))
        return copy.deepcopy(runtime.value(thing))

    return Facade("copy", {"copy": shallow, "deepcopy": deep})


def _bounded(n: int, function: str) -> int:
    if n > MAX_FACTORIAL:
        raise OverflowError(f"math.{function} of more than {MAX_FACTORIAL} is not computed here")
    return n
