"""Random programs: drawn from a grammar of the workflow language with odd things in it, or natural programs with changes.

The grammar knows what tends to break: deep nesting, huge numbers, odd format specifications, calls of any name with any
arguments, classes with special methods, handles in every place. A program need not make sense; it has to end well.
"""

# ruff: noqa: E501 - a table of what is drawn

from __future__ import annotations

import keyword
import re
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from sandbox import Limits

LIMITS = Limits(cpu_seconds=0.5, wall_seconds=4.0, memory_bytes=64 * 2**20, steps=30_000, printed_chars=20_000)
MODULES = (
    "asyncio", "json", "math", "re", "random", "itertools", "functools", "collections", "statistics", "string", "textwrap",
    "datetime", "time", "dataclasses", "enum", "typing", "operator", "fractions", "decimal", "copy", "heapq", "bisect", "contextlib",
)  # fmt: skip
NATURAL = [path.read_text() for path in sorted((Path(__file__).parent.parent / "programs").rglob("*.py"))]
PREAMBLE = (
    f"import {', '.join(MODULES)}\n"
    + """
class C:
    name = 1
def f(x=1, *y, **z):
    return x
async def g(x=1):
    return await ask("critic", x)
x, y, z = 1, [1, "a", None], {"k": 1.5, "a": [2]}
"""
)

VARIABLES = ["x", "y", "z", "f", "g", "C", "task", "ask", "gather", "parallel", "share", "recall", "result"]
BUILTINS = [
    "len",
    "str",
    "int",
    "float",
    "list",
    "dict",
    "set",
    "tuple",
    "frozenset",
    "sorted",
    "sum",
    "min",
    "max",
    "map",
    "filter",
    "zip",
    "enumerate",
    "reversed",
    "range",
    "repr",
    "hash",
    "id",
    "type",
    "isinstance",
    "issubclass",
    "getattr",
    "hasattr",
    "setattr",
    "vars",
    "dir",
    "print",
    "format",
    "iter",
    "next",
    "abs",
    "round",
    "divmod",
    "pow",
    "any",
    "all",
    "bytes",
    "complex",
    "bin",
    "chr",
    "ord",
    "slice",
    "super",
    "object",
    "property",
    "staticmethod",
    "callable",
    "Exception",
    "ValueError",
    "KeyError",
    "StopIteration",
    "MemoryError",
    "CallFailed",
]
METHODS = [
    "append",
    "format",
    "join",
    "split",
    "items",
    "keys",
    "pop",
    "get",
    "update",
    "result",
    "cancel",
    "done",
    "strip",
    "encode",
    "replace",
    "sort",
    "real",
    "name",
    "value",
    "add",
    "copy",
    "most_common",
    "group",
    "__class__",
    "__name__",
    "__dict__",
    "__init__",
    "_x",
    "answer",
    "count",
    "index",
    "bit_length",
    "to_bytes",
    "expandtabs",
    "zfill",
    "center",
    "translate",
]
NUMBERS = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "0.5",
    "1e308",
    "1e400",
    "10**5",
    "2**64",
    "-2**31",
    "10**400",
    "1j",
    "True",
    "9**9**9",
    "0x7fffffff",
    "255",
]
TEXTS = [
    "''", "'a'", "'solver'", "'%s %d'", "'%*d'", "'{} {0} {x}'", "'{:>999999999}'", "'{0.real}'", "b'x'", "'\\ud800'", "'\\x00'",
    "'(a*)*b'", "'é' * 9", "'a' * 10**7", "'json'", "'__class__'", "r'\\d+'", "'[' * 5000", "'1' * 5000", "'2024-01-02'",
]  # fmt: skip
SPECS = [
    "", ":>10", ":,", ":.3f", ":%Y", ":{y}", ":99999999", ":.99999f", "!r", "!a:^9", ":x", ":08.3e", "=", ":_b", ":c",
    ":\\x00", ":{x!r}", ":{'>'}9",
]  # fmt: skip
BINARY = [
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "**",
    "<<",
    ">>",
    "&",
    "|",
    "^",
    "@",
    "==",
    "!=",
    "<",
    ">",
    "<=",
    ">=",
    "is",
    "in",
    "and",
    "or",
    "not in",
    "is not",
]
DUNDERS = [
    "__init__",
    "__repr__",
    "__str__",
    "__eq__",
    "__hash__",
    "__len__",
    "__iter__",
    "__next__",
    "__call__",
    "__getitem__",
    "__enter__",
    "__exit__",
    "__bool__",
    "__add__",
    "__lt__",
    "__contains__",
    "__format__",
    "__getattr__",
    "__del__",
    "__new__",
    "__aiter__",
    "__index__",
    "__int__",
    "__await__",
    "__class_getitem__",
    "_private",
    "run",
]
BASES = [
    "",
    "(C)",
    "(Exception)",
    "(str)",
    "(dict)",
    "(enum.Enum)",
    "(typing.NamedTuple)",
    "(type)",
    "(list)",
    "(object, C)",
]
DECORATORS = [
    "dataclasses.dataclass", "functools.cache", "functools.lru_cache(maxsize=2)", "property", "contextlib.contextmanager",
    "functools.total_ordering", "staticmethod", "classmethod", "functools.wraps(f)", "dataclasses.dataclass(frozen=True, slots=True)",
]  # fmt: skip
PATTERNS = [
    "_",
    "1",
    "'a'",
    "[a, *b]",
    "{'k': v, **rest}",
    "str()",
    "C(name=n)",
    "int() | None",
    "(1, 2) as p",
    "dict(x=1)",
]


def programs(modules: dict[str, list[str]]) -> SearchStrategy[str]:
    """Programs of the grammar, and changed natural ones; `modules` are the language's with their names."""
    members = [f"{module}.{name}" for module, names in modules.items() for name in names]
    written = _blocks(_expressions(members)).map(lambda lines: PREAMBLE + "\n".join(lines))
    return written | written | _changed()


def _expressions(members: list[str]) -> SearchStrategy[str]:
    names = st.sampled_from([*VARIABLES * 2, *BUILTINS])
    atoms = st.one_of(names, st.sampled_from(NUMBERS), st.sampled_from(TEXTS), st.sampled_from(members))
    return st.recursive(atoms, lambda inner: _larger(inner, members), max_leaves=8)


def _larger(inner: SearchStrategy[str], members: list[str]) -> SearchStrategy[str]:
    arguments = st.lists(inner | inner.map("k={}".format) | inner.map("*{}".format), max_size=3).map(_in_order)
    callee = st.sampled_from([*members, *BUILTINS, *VARIABLES]) | inner.map("({})".format)
    several = st.lists(inner, max_size=4).map(", ".join)
    method = st.sampled_from(METHODS)
    asked = "ask({!r}, {}, inputs={})".format
    return st.one_of(
        *[st.builds("{}({})".format, callee, arguments)] * 3,
        st.builds("({} {} {})".format, inner, st.sampled_from(BINARY), inner),
        st.builds("{}.{}({})".format, inner.map("({})".format), method, arguments),
        st.builds("({}).{}".format, inner, method),
        several.map("[{}]".format), several.map("({})".format), several.map("{{{}}}".format),
        st.builds("{{{}: {}, 'k': {}}}".format, inner, inner, inner),
        st.builds("[{} for x in {} if {}]".format, inner, inner, inner),
        st.builds("{{x: {} for x in {}}}".format, inner, inner),
        st.builds("({} for y in {})".format, inner, inner),
        st.builds("(lambda x=1, *y: {})".format, inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
        st.builds("({})[{}]".format, inner, inner), st.builds("({})[{}:{}:-1]".format, inner, inner, inner),
        st.builds(lambda e, spec: "f\"{" + e.replace('"', "'").replace("\\", "") + spec + "}\"", inner, st.sampled_from(SPECS)),
        st.builds(asked, st.sampled_from(["solver", "critic", "nobody"]), inner, inner),
        st.builds("ask('solver', {}, returns={})".format, inner, inner),
        several.map("gather({})".format), several.map("parallel([{}])".format), inner.map("(await {})".format),
        inner.map("(not {})".format), inner.map("(-{})".format), inner.map("(y := {})".format),
        st.builds(lambda e, n: "[" * n + e + "]" * n, inner, st.sampled_from([1, 5, 20, 60, 150])),
        st.builds(lambda e, n: "-" * n + e, inner, st.sampled_from([1, 3, 20, 400])),
    )  # fmt: skip


def _in_order(arguments: list[str]) -> str:
    """Positional ones first, and no keyword twice, most of the time."""
    return ", ".join(sorted(arguments, key=lambda a: a.startswith("k=")))


def _blocks(expression: SearchStrategy[str]) -> SearchStrategy[list[str]]:
    target = st.sampled_from(["x", "y", "z", "x, y", "x[0]", "x.name", "*x, y", "f", "z['k']", "global_"])
    changed = st.sampled_from(["x", "y[0]", "z['k']", "C.name", "y"])
    symbol = st.sampled_from(["+=", "-=", "*=", "**=", "<<=", "|=", "//=", "%="])
    simple = st.one_of(
        st.builds("{} = {}".format, target, expression), st.builds("{} {} {}".format, changed, symbol, expression),
        expression, expression.map("return {}".format), expression.map("print({})".format), expression.map("raise {}".format),
        st.sampled_from(["pass", "del x", "raise", "import os", "x = yield_ = 1", "global x", "y.append(y)"]),
        st.builds("assert {}, {}".format, expression, expression), st.builds("x: {} = {}".format, expression, expression),
    ).map(lambda line: [line])  # fmt: skip
    statement = st.recursive(simple, lambda inner: _compound(inner, expression), max_leaves=6)
    return st.lists(statement, min_size=1, max_size=8).map(
        lambda several: [line for lines in several for line in lines]
    )


def _compound(inner: SearchStrategy[list[str]], expression: SearchStrategy[str]) -> SearchStrategy[list[str]]:
    body = st.lists(inner, min_size=1, max_size=3).map(
        lambda several: ["    " + line for lines in several for line in lines]
    )
    method = st.builds(
        lambda name, b: ["    " + line for line in [f"def {name}(self, *a, **k):", *b]], st.sampled_from(DUNDERS), body
    )
    decorated = st.sampled_from(DECORATORS).map(lambda d: [f"@{d}"]) | st.just([])
    return st.one_of(
        st.builds(lambda e, b, c: [f"if {e}:", *b, "else:", *c], expression, body, body),
        st.builds(lambda e, b: [f"for x in {e}:", *b, "    if x: break", "    continue"], expression, body),
        st.builds(lambda e, b: ["def f(*x):", f"    y = yield {e}", *b, "    yield from f()"], expression, body),
        st.builds(lambda e, b: [f"while {e}:", *b], expression, body),
        st.builds(lambda k, b, c, d: ["try:", *b, f"except {k}:", *c, "finally:", *d], expression, body, body, body),
        st.builds(lambda d, b: [*d, "def f(x=1, *y, **z):", *b], decorated, body),
        st.builds(lambda d, b: [*d, "async def g(x=1):", *b], decorated, body),
        st.builds(lambda e, b: [f"with {e} as y:", *b], expression, body),
        st.builds(lambda e, b: [f"async with {e}:", *b], expression, body),
        st.builds(lambda e, b: [f"async for x in {e}:", *b], expression, body),
        st.builds(lambda d, base, ms: [*d, f"class C{base}:", "    name: int = 1", *[line for m in ms for line in m]],
                  decorated, st.sampled_from(BASES), st.lists(method, max_size=3)),
        st.builds(lambda e, p, b: [f"match {e}:", f"    case {p}:", *["    " + line for line in b]], expression, st.sampled_from(PATTERNS), body),
    )  # fmt: skip


@st.composite
def _changed(draw: DrawFn) -> str:
    """A natural program of which a few words were replaced by others of their kind, and rarely by anything."""
    words = re.findall(r"\w+|\s+|[^\w\s]", draw(st.sampled_from(NATURAL)))
    named = [n for n, word in enumerate(words) if word.isidentifier() and not keyword.iskeyword(word)]
    anything = st.sampled_from([*NUMBERS, *TEXTS, *METHODS, *BINARY, "(", ")", "[", "\n", "    ", "await ", "lambda: "])
    for _ in range(draw(st.integers(1, 5))):
        place, other = draw(st.sampled_from(named)), draw(st.sampled_from(named))
        how = draw(st.integers(0, 9))
        if how < 4:
            words[place] = words[other]
        elif how < 8:
            words[place] = draw(st.sampled_from([*BUILTINS, *METHODS, *VARIABLES]))
        elif how == 8:
            words[place] = draw(st.sampled_from([*NUMBERS, *TEXTS]))
        else:
            words[draw(st.integers(0, len(words) - 1))] = draw(anything)
    return "".join(words)
