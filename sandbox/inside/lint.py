"""The check of a program before it runs: what can be told wrong from its text and its contract.

Syntax, policy, unknown names, unknown choices (agents), wrong arguments of host functions, and calls whose result
nobody uses. A finding names the place and the allowed alternative. Where the text alone cannot tell, nothing is
said: a false finding would cost the author a turn.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Collection, Iterator, Mapping

from RestrictedPython.compile import compile_restricted_exec

from sandbox.contract import MODULES, Contract, Finding, Function, Parameter
from sandbox.errors import WorkflowError
from sandbox.inside.compiling import PROGRAM_FILE, parse_program
from sandbox.inside.policy import Refusal, WorkflowPolicy
from sandbox.limits import Limits

MAX_FINDINGS = 20
_RUNNERS = frozenset({"gather", "parallel"})
_NOT_HERE: Mapping[str, str] = {
    "open": "there are no files; pass text as inputs=",
    "input": "there is nobody to ask; use task.question",
    "exec": "write the code itself",
    "eval": "use json.loads or float() to read values",
    "compile": "write the code itself",
    "globals": "pass values as arguments",
    "locals": "pass values as arguments",
    "BaseException": "catch Exception",
    "exit": "use return",
    "quit": "use return",
}


def check(
    program: str, contract: Contract, limits: Limits, known: Collection[str], modules: Collection[str]
) -> list[Finding]:
    """Everything found, in the order of lines. `known` are the names that every program has."""
    lines = program.splitlines()
    tree = parse_program(program, limits)
    if isinstance(tree, WorkflowError):
        line = tree.line or 1
        kind = "syntax"
        source = tree.source_line or _line(lines, line)
        return [Finding(kind, f"{tree.kind}: {tree.message}", line, 0, source, tree.hint)]  # type: ignore[arg-type]
    found = [*_Check(tree, contract, known, modules, lines).findings()]
    found += _refusals(program, lines)
    found.sort(key=lambda finding: (finding.line, finding.column))
    return found[:MAX_FINDINGS]


def _refusals(program: str, lines: list[str]) -> Iterator[Finding]:
    try:
        result = compile_restricted_exec(ast.parse(program), PROGRAM_FILE, policy=WorkflowPolicy)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        yield Finding("syntax", f"WorkflowSyntaxError: {getattr(error, 'msg', error)}", line, 0, _line(lines, line))
        return
    for refusal in result.errors:
        if isinstance(refusal, Refusal):
            source = _line(lines, refusal.line)
            yield Finding("policy", str(refusal), refusal.line, refusal.column, source, refusal.hint)


class _Check:
    def __init__(
        self, tree: ast.Module, contract: Contract, known: Collection[str], modules: Collection[str], lines: list[str]
    ) -> None:
        self._tree = tree
        self._contract = contract
        self._lines = lines
        self._modules = set(modules)
        self._functions = {function.name: function for function in contract.functions}
        self._bound = set(_bindings(tree))
        self._known = {
            *(name for name in known if not name.startswith("_")),
            "__name__",
            *self._functions,
            *contract.values,
            *contract.failures,
        }
        self._loaded = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}

    def findings(self) -> Iterator[Finding]:
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield from self._name(node)
            elif isinstance(node, ast.Call):
                yield from self._call(node)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                yield from self._import(node)
        yield from self._too_early()
        yield from self._unused()

    def _too_early(self) -> Iterator[Finding]:
        """Names that a simple top-level statement uses before anything has bound them."""
        bound: set[str] = set()
        for statement in self._tree.body:
            inside = set(_bindings(statement))
            if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)):
                targets = {
                    n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                }
                held = inside - _assigned(statement)
                for node in _evaluated_now(statement):
                    later = node.id in self._bound and node.id not in bound and node.id not in held
                    if later and node.id not in self._known:
                        hint = (
                            "define it in an earlier line" if node.id not in targets else "it is what this line defines"
                        )
                        yield self._finding("name", node, f"the name {node.id!r} has no value yet", hint)
            bound |= inside

    def _name(self, node: ast.Name) -> Iterator[Finding]:
        if node.id in self._bound or node.id in self._known:
            return
        hint = _NOT_HERE.get(node.id)
        if hint is None:
            close = difflib.get_close_matches(node.id, sorted(self._bound | self._known), 1)
            hint = f"did you mean {close[0]!r}?" if close else self._name_hint(node.id)
        yield self._finding("name", node, f"the name {node.id!r} is not defined", hint)

    def _name_hint(self, name: str) -> str:
        if name in self._modules and self._contract.may_import(name):
            return f"write `import {name}` first"
        is_agent = any(name in p.choices for f in self._functions.values() for p in f.parameters)
        return f'call it with ask("{name}", ...)' if is_agent else "define it before it is used"

    def _import(self, node: ast.Import | ast.ImportFrom) -> Iterator[Finding]:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        for name in names:
            there = ", ".join(module for module in MODULES if self._contract.may_import(module)) or "none"
            if name not in self._modules and name != "__future__":
                yield self._finding("policy", node, f"there is no module {name!r} here", f"there are {there}")
            elif not self._contract.may_import(name):
                message = f"the module {name!r} is held back from this program"
                package = next(m for m in MODULES if m.partition(".")[0] == name.partition(".")[0])
                yield self._finding("policy", node, message, f"do without it; there are {there}", package)

    def _call(self, node: ast.Call) -> Iterator[Finding]:
        if not isinstance(node.func, ast.Name) or node.func.id in self._bound:
            return
        if node.func.id in _RUNNERS:
            for pair in _pairs(node):
                yield from self._pair(pair)
        function = self._functions.get(node.func.id)
        if (
            function is None
            or any(isinstance(a, ast.Starred) for a in node.args)
            or any(k.arg is None for k in node.keywords)
        ):
            return
        yield from self._arguments(node, function)
        yield from self._choices(node, function)

    def _pair(self, pair: ast.Tuple) -> Iterator[Finding]:
        function = next((f for f in self._functions.values() if f.gives == "handle"), None)
        if function is not None and function.parameters and function.parameters[0].kind == "choice":
            yield from self._choice(pair.elts[0], function.parameters[0])

    def _arguments(self, node: ast.Call, function: Function) -> Iterator[Finding]:
        positional = [p.name for p in function.parameters if not p.keyword_only]
        takes = ", ".join(p.name if not p.keyword_only else f"{p.name}=" for p in function.parameters)
        if len(node.args) > len(positional):
            message = f"{function.name}() takes at most {len(positional)} arguments by position"
            yield self._finding("argument", node, message, f"it takes {takes}")
        names = [p.name for p in function.parameters]
        for keyword in node.keywords:
            if keyword.arg not in names:
                close = difflib.get_close_matches(str(keyword.arg), names, 1)
                hint = f"did you mean {close[0]}=? It takes {takes}" if close else f"it takes {takes}"
                yield self._finding(
                    "argument", keyword.value, f"{function.name}() has no argument {keyword.arg!r}", hint
                )
        given = set(positional[: len(node.args)]) | {keyword.arg for keyword in node.keywords}
        missing = [p.name for p in function.parameters if p.required and p.name not in given]
        if missing:
            yield self._finding("argument", node, f"{function.name}() needs {', '.join(missing)}", f"it takes {takes}")

    def _choices(self, node: ast.Call, function: Function) -> Iterator[Finding]:
        positional = [p for p in function.parameters if not p.keyword_only]
        given = {p.name: value for p, value in zip(positional, node.args, strict=False)}
        given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        for parameter in function.parameters:
            if parameter.kind == "choice" and parameter.name in given:
                yield from self._choice(given[parameter.name], parameter)

    def _choice(self, value: ast.expr, parameter: Parameter) -> Iterator[Finding]:
        what, choices = parameter.name, parameter.choices
        if not isinstance(value, ast.Constant) or value.value in choices:
            return
        there = ", ".join(choices) or "none"
        if value.value in parameter.withheld:
            message = f"the {what} {value.value!r} is held back from this program"
            yield self._finding("choice", value, message, f"do without it; there are {there}", str(value.value))
            return
        close = difflib.get_close_matches(str(value.value), choices, 1)
        hint = f"did you mean {close[0]!r}? There are {there}" if close else f"there are {there}"
        yield self._finding("choice", value, f"there is no {what} {value.value!r}", hint)

    def _unused(self) -> Iterator[Finding]:
        last = self._tree.body[-1] if self._tree.body else None
        for node in ast.walk(self._tree):
            if node is last:
                continue
            if isinstance(node, ast.Expr) and (call := self._host_call(node.value)):
                hint = "give it a name and use it, or leave the call away"
                yield self._finding("unused", call, "nobody uses what this call brings", hint)
            elif isinstance(node, ast.Assign) and (call := self._host_call(node.value)):
                names = [target.id for target in node.targets if isinstance(target, ast.Name)]
                if len(names) == len(node.targets) and not any(
                    name in self._loaded or name == "result" for name in names
                ):
                    hint = "use it in a later step or in the returned value"
                    yield self._finding("unused", call, f"nobody uses {names[0]!r}", hint)

    def _host_call(self, value: ast.expr) -> ast.Call | None:
        call = value.value if isinstance(value, ast.Await) else value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id in self._bound:
            return None
        function = self._functions.get(call.func.id)
        return call if function is not None and function.gives == "handle" else None

    def _finding(
        self, kind: str, node: ast.expr | ast.stmt, message: str, hint: str | None, withheld: str | None = None
    ) -> Finding:
        source = _line(self._lines, node.lineno)
        return Finding(kind, message, node.lineno, node.col_offset, source, hint, withheld)  # type: ignore[arg-type]


def _pairs(node: ast.Call) -> Iterator[ast.Tuple]:
    for argument in node.args:
        elements = argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else [argument]
        for element in elements:
            if isinstance(element, ast.Tuple) and len(element.elts) >= 2:
                yield element
        if (
            isinstance(argument, (ast.ListComp, ast.GeneratorExp))
            and isinstance(argument.elt, ast.Tuple)
            and argument.elt.elts
        ):
            yield argument.elt


def _assigned(statement: ast.stmt) -> set[str]:
    """The names that an assignment itself binds, apart from those of comprehensions and walruses inside it."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
    return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}


def _evaluated_now(statement: ast.stmt) -> Iterator[ast.Name]:
    """The names that a statement loads when it runs: not those inside of functions and lambdas."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node
        waiting += ast.iter_child_nodes(node)


def _bindings(tree: ast.AST) -> Iterator[str]:
    """Every name that is bound anywhere in the program, in whichever scope."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield node.id
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            yield node.name
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            yield from node.names


def _line(lines: list[str], number: int) -> str:
    return lines[number - 1] if 0 < number <= len(lines) else ""
