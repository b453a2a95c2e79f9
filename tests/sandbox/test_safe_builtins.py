"""The builtins of a program, and the operators and formats that are measured before they are computed."""

from __future__ import annotations

import enum
import fractions

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import Sandbox, Setting
from sandbox.inside.arithmetic import MAX_BITS, MAX_ITEMS, guarded_lshift, guarded_mul, guarded_pow
from sandbox.inside.formatting import MAX_WIDTH, safe_format, safe_format_spec, safe_percent, without_addresses
from tests.sandbox.doors import CONTRACT, ScriptedDoor

pytestmark = pytest.mark.anyio

VALUES: dict[str, tuple[str, object]] = {
    "hasattr": ("class C:\n    a = None\nreturn [hasattr('x', 'nope'), hasattr('x', 'upper'), hasattr(C(), 'a'), hasattr(1, '__class__'), hasattr(1, '__reduce__')]", [False, True, True, True, False]),
    "getattr": ("class C:\n    def __init__(self):\n        self.a = 1\nc = C()\nsetattr(c, 'b', 2)\ndelattr(c, 'a')\nreturn [getattr(c, 'b'), getattr(c, 'a', 3), vars(c), getattr('x', 'upper')()]", [2, 3, {"b": 2}, "X"]),
    "setattr on a record": ("r = ask('solver', 'q', returns={'a': int})\nr = r if True else r\nsetattr(r, 'b', 5)\nreturn r.b", 5),
    "type": (
        "import json\nclass C:\n    pass\ndef f():\n    yield\n"
        "return [type(1) is int, type('x').__name__, type(C()) is C, type(f).__name__, type(f()).__name__, type(json).__name__, isinstance(C, type), isinstance(1, type), isinstance(f, type(lambda: 0)), type(ask('solver', 'q')) is str, repr(type), type(None) is type(None)]",
        [True, "str", True, "function", "generator", "module", True, False, True, True, "<class 'type'>", True],
    ),
    "no addresses": (
        "class C:\n    pass\ndef f():\n    pass\nprint(f, [f], C(), 'text <a at 0x123456789>')\nreturn [repr(f), repr(object()), repr([f, C()]), '{}'.format(f), '%s %r' % (f, f), ascii(f), format(f)]",
        ["<function f>", "<object object>", "[<function f>, <C object>]", *["<function f>"], "<function f> <function f>", "<function f>", "<function f>"],
    ),
    "id and hash": ("class C:\n    pass\na, b = C(), C()\nreturn [id(a) == id(a), id(a) != id(b), id(a) < 100, hash(None) < 100, hash(len) == hash(len), hash('a') == hash('a')]", [True] * 6),
    "map and filter": (
        "hs = [ask('solver', c) for c in 'ab']\n"
        "return [list(map(str.upper, hs)), list(filter(str.strip, hs)), list(map(lambda a, b: a + b, [1, 2], [3, 4])), list(filter(None, [0, 1])), list(map(len, hs)), next(map(str, [1]))]",
        [["SOLVER: A", "SOLVER: B"], ["solver: a", "solver: b"], [4, 6], [1], [9, 9], "1"],
    ),
    "print": ("print('a', 1, None, [2], sep='-', end='!')\nprint()\nprint(f'{3:>4}', flush=True)", None),
    "dir": ("class C:\n    def m(self):\n        pass\nreturn [dir(C()), 'upper' in dir('x'), [n for n in dir('x') if n.startswith('_')]]", [["m"], True, []]),
    "the usual ones": (
        "return [abs(-1), all([]), any([1]), bin(2), bool(''), callable(len), chr(97), divmod(7, 2), list(enumerate('a')), hex(255), int('3'), isinstance('', (str, int)), issubclass(bool, int), list(iter([1])), max(1, 2),\n"
        " min([3, 1], key=lambda n: -n), oct(8), ord('a'), pow(2, 3), pow(2, 3, 5), list(range(2)), list(reversed([1, 2])), round(1.26, 1), sorted({2, 1}), sum([1, 2]), list(zip('a', [1])), str(b'x'), complex(1, 0) == 1, sorted(frozenset([1])), [1, 2, 3][slice(1)]]",
        [1, True, True, "0b10", False, True, "a", [3, 1], [[0, "a"]], "0xff", 3, True, True, [1], 2, 3, "0o10", 97, 8, 3, [0, 1], [2, 1], 1.3, [1, 2], 3, [["a", 1]], "b'x'", True, [1], [1]],
    ),
    "int enumerations have powers": ("from enum import IntEnum\nclass K(IntEnum):\n    A = 2\nreturn K.A ** 3", 8),
}  # fmt: skip
REFUSED = {
    "type of a class": ("type(int)", "not part of the workflow language"),
    "type makes no class": ("type('X', (), {})", "one argument"),
    "the type of a function makes none": ("type(lambda: 0)(None, {})", "cannot be made this way"),
    "setattr on a module": ("import json\nsetattr(json, 'dumps', 1)", "cannot be changed"),
    "setattr on a type": ("setattr(dict, 'get', 1)", "cannot be changed"),
    "setattr of a hook": ("class C:\n    pass\nsetattr(C, '__getattr__', 1)", "cannot be changed"),
    "delattr on a module": ("import json\ndelattr(json, 'dumps')", "cannot be changed"),
    "getattr of a name that lies": ("from enum import Enum\nclass L(str, Enum):\n    A = '__class__'\ngetattr(1, L.A)", "must be text"),
    "getattr of a private name": ("getattr(1, '__subclasshook__')", "not part of the workflow language"),
    "print with a wrong separator": ("print(1, sep=1)", "must be None or text"),
    **{f"no {name}": (f"f = {name}", "is not defined") for name in
       ("open", "input", "globals", "locals", "compile", "breakpoint", "help", "memoryview", "BaseException", "SystemExit",
        "KeyboardInterrupt", "GeneratorExit", "ExceptionGroup", "exit", "copyright")},
}  # fmt: skip


@pytest.mark.parametrize("case", VALUES)
async def test_value(sandbox: Sandbox, case: str) -> None:
    program, expected = VALUES[case]
    outcome = await sandbox.run(program, CONTRACT, ScriptedDoor(), setting=Setting(seed=7, now=1_000_000.0))
    assert outcome.error is None, str(outcome.error)
    assert outcome.value == expected
    if case == "print":
        assert outcome.printed == "a-1-None-[2]!\n   3\n"
    if case == "no addresses":
        assert outcome.printed == "<function f> [<function f>] <C object> text <a at 0x123456789>\n"


@pytest.mark.parametrize("case", REFUSED)
async def test_refused(sandbox: Sandbox, case: str) -> None:
    program, message = REFUSED[case]
    outcome = await sandbox.run(program, CONTRACT, ScriptedDoor())
    assert outcome.error is not None, outcome.value
    assert message in str(outcome.error)


class Liar(int, enum.Enum):
    HUGE = 10**9

    def bit_length(self) -> int:
        return 0

    def __index__(self) -> int:
        return 0

    def __int__(self) -> int:
        return 0


class LongText(enum.StrEnum):
    TEXT = "x" * 1000

    def __len__(self) -> int:
        return 0


@given(st.integers(-50, 50), st.integers(-20, 60))
def test_small_numbers_are_computed_as_always(left: int, right: int) -> None:
    assert guarded_mul(left, right) == left * right
    if right >= 0:
        assert guarded_lshift(left, right) == left << right
    if left or right >= 0:
        assert guarded_pow(left, right) == left**right


HUGE_RESULTS = {
    "power": (guarded_pow, 9, 9**9),
    "negative base": (guarded_pow, -9, 9**9),
    "lying base and exponent": (guarded_pow, Liar.HUGE, Liar.HUGE),
    "lying exponent": (guarded_pow, 10**9, Liar.HUGE),
    "fraction": (guarded_pow, fractions.Fraction(1, 3), 10**9),
    "fraction with a negative exponent": (guarded_pow, fractions.Fraction(1, 3), -(10**9)),
    "shift": (guarded_lshift, 1, 1 << 40),
    "lying shift": (guarded_lshift, 1, Liar.HUGE),
    "product": (guarded_mul, 1 << MAX_BITS, 1 << MAX_BITS),
}


@pytest.mark.parametrize("case", HUGE_RESULTS)
def test_huge_numbers_are_refused(case: str) -> None:
    operation, left, right = HUGE_RESULTS[case]
    with pytest.raises(OverflowError):
        operation(left, right)


def test_cheap_powers_of_any_size_are_computed() -> None:
    assert [guarded_pow(base, 10**12) for base in (0, 1, -1)] == [0, 1, 1]
    assert guarded_pow(2, -(10**7)) == 0.0
    assert guarded_pow(2.0, 3) == 8.0
    assert guarded_pow(3, 10**12, 7) == pow(3, 10**12, 7)


@pytest.mark.parametrize(
    "sequence", ["x" * 10, [1] * 10, (1,) * 10, b"x" * 10, LongText.TEXT], ids=lambda thing: type(thing).__name__
)
def test_long_repetitions_are_refused(sequence: object) -> None:
    with pytest.raises(MemoryError):
        guarded_mul(sequence, MAX_ITEMS)
    with pytest.raises(MemoryError):
        guarded_mul(MAX_ITEMS, sequence)


@given(st.text("%()*.0123456789sdxr-+ #a", max_size=12))
def test_percent_is_pythons_or_refused(template: str) -> None:
    try:
        made = safe_percent(template, {"a": 1, "": 2})
    except (ValueError, TypeError, KeyError, OverflowError):
        return
    assert made == template % {"a": 1, "": 2}
    assert len(str(made)) < 7 * (MAX_WIDTH + 10)


@pytest.mark.parametrize(
    "template", ["%100000d", "%.100000f", "%*d", "%(a(b))100000d", "%(a)100000d", "%%%100000d", "%-0100000d"]
)
def test_wide_percent_fields_are_refused(template: str) -> None:
    with pytest.raises(ValueError, match="width"):
        safe_percent(template, {"a(b)": 1, "a": 1})


@pytest.mark.parametrize("spec", [">100000", ".100000f", f">{10**30}", "0>99999"])
def test_wide_specifications_are_refused(spec: str) -> None:
    with pytest.raises(ValueError, match="width or precision"):
        safe_format_spec(1.5, spec)
    with pytest.raises(ValueError, match="width or precision"):
        safe_format(f"{{:{spec}}}", [1.5], {})
    with pytest.raises(ValueError, match="width or precision"):
        safe_format("{:{}}", [1.5, spec], {})


@pytest.mark.parametrize("template", ["{0.__class__}", "{0[0]}", "{x.real}", "{:{0.real}}", "{0!r.a}"])
def test_fields_do_not_read_inside(template: str) -> None:
    with pytest.raises(ValueError, match=r"f-string|expected"):
        safe_format(template, [1, 2], {"x": 1})


def test_ordinary_formats() -> None:
    assert safe_format("{} {1!r:>4} {name:.2f} {{}}".replace("{}", "{0}", 1), [1, "a"], {"name": 2}) == "1  'a' 2.00 {}"
    assert safe_format("{:>{w}}", ["a"], {"w": 3}) == "  a"
    assert safe_percent("%s-%(a)s" if False else "%5.1f|%s|%%", (1.25, "x")) == "  1.2|x|%"


def test_only_reprs_lose_their_addresses() -> None:
    assert without_addresses("<function f at 0x7f00aa> at 0x7f00aa11") == "<function f> at 0x7f00aa11"
