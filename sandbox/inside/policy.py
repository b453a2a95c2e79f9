"""The language layer: RestrictedPython's transformer, widened to the Python that models write every day.

What stock RestrictedPython refuses and this policy allows: `async`, `match`, annotated and augmented assignment,
`nonlocal`, private names, most dunder methods, `return` and `await` at top level. Everything that reads an
attribute or calls something still goes through a guard of `guards.py`. Asynchronous code is compiled away: an
`async def` becomes a function that gives a coroutine of the scheduler, `await x` becomes a guard call.

The guards' names cannot be bound by a program: every identifier of the tree, wherever it stands, is checked
first, by one generic walk, so that a node type of a newer Python cannot slip past.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeVar, cast

from RestrictedPython.transformer import (
    INSPECT_ATTRIBUTES,
    IOPERATOR_TO_STR,
    RestrictingNodeTransformer,
    copy_locations,
)

ALLOWED_METHODS = frozenset(
    [
        "__init__",
        "__post_init__",
        "__repr__",
        "__str__",
        "__eq__",
        "__ne__",
        "__lt__",
        "__le__",
        "__gt__",
        "__ge__",
        "__hash__",
        "__bool__",
        "__len__",
        "__iter__",
        "__next__",
        "__contains__",
        "__getitem__",
        "__setitem__",
        "__delitem__",
        "__call__",
        "__enter__",
        "__exit__",
        "__aenter__",
        "__aexit__",
        "__aiter__",
        "__anext__",
        "__add__",
        "__radd__",
        "__iadd__",
        "__sub__",
        "__rsub__",
        "__mul__",
        "__rmul__",
        "__truediv__",
        "__floordiv__",
        "__mod__",
        "__neg__",
        "__abs__",
        "__and__",
        "__or__",
        "__xor__",
        "__int__",
        "__float__",
        "__index__",
        "__round__",
    ]
)
ALLOWED_ATTRIBUTES = ALLOWED_METHODS | {"__name__", "__qualname__", "__doc__", "__class__", "__dict__"}
ALLOWED_NAMES = frozenset({"__name__", "__match_args__", "__slots__"})
REFUSED_ATTRIBUTES = INSPECT_ATTRIBUTES | {"mro", "format_map", "tb_lasti", "tb_lineno", "obj"}
Node = TypeVar("Node", bound=ast.AST)
_GUARD_NAME = re.compile(r"_tmp\d*|_print|_.*_")
_GUARDED_OPERATORS = {ast.Pow: "_pow_", ast.Mult: "_mul_", ast.LShift: "_lshift_", ast.Mod: "_mod_"}


class Refusal(str):
    """One refusal, with its place and, where there is one, the allowed alternative."""

    __slots__ = ("column", "hint", "line")
    line: int
    column: int
    hint: str | None


class WorkflowPolicy(RestrictingNodeTransformer):
    """Checks and rewrites the syntax tree of a program."""

    _function_depth = 0
    _class_depth = 0
    _last: ast.AST | None = None

    def error(self, node: ast.AST, info: str, hint: str | None = None) -> None:
        refusal = Refusal(info)
        refusal.line = getattr(node, "lineno", 1)
        refusal.column = getattr(node, "col_offset", 0)
        refusal.hint = hint
        self.errors.append(refusal)

    def not_allowed(self, node: ast.AST) -> None:
        what = {"TryStar": "`except*`"}.get(type(node).__name__, f"a {type(node).__name__} node")
        self.error(node, f"{what} is not part of the workflow language", "write it with plain functions and loops")

    # -- names ------------------------------------------------------------------------------------------------

    def visit_Module(self, node: ast.Module) -> ast.AST:
        for owner, identifier in identifiers(node):
            self._check_identifier(owner, identifier)
        if self.errors:
            return node
        _rename_private(node)
        self._last = node.body[-1] if node.body else None
        return self.node_contents_visit(node)

    def _check_identifier(self, node: ast.AST, name: str) -> None:
        if not name.isascii():
            self.error(node, f"the name {name!r} is not ASCII", "use plain letters, digits and underscores")
        elif name.startswith("__") and name.endswith("__") and len(name) > 4:
            self._check_dunder(node, name)
        elif name.endswith("__roles__") or (name not in ("_", "__") and _GUARD_NAME.fullmatch(name)):
            self.error(node, f"the name {name!r} is reserved", "choose a name without underscores at its ends")

    def _check_dunder(self, node: ast.AST, name: str) -> None:
        if isinstance(node, ast.Attribute):
            allowed = name in ALLOWED_ATTRIBUTES
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            allowed = name in ALLOWED_METHODS
        elif isinstance(node, ast.ImportFrom):
            allowed = name == "__future__"
        else:
            allowed = isinstance(node, ast.Name) and name in ALLOWED_NAMES
        if not allowed:
            self.error(node, f"{name!r} is not part of the workflow language", "use ordinary functions and attributes")

    def check_name(self, node: ast.AST, name: str | None, allow_magic_methods: bool = False) -> None:
        """Nothing: `visit_Module` has checked every identifier already."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr in REFUSED_ATTRIBUTES:
            self.error(node, f"the attribute {node.attr!r} is not part of the workflow language")
        node = self.node_contents_visit(node)
        if isinstance(node.ctx, ast.Load):
            return _at(node, _call("_getattr_", node.value, ast.Constant(node.attr)))
        node.value = _at(node.value, _call("_write_", node.value))
        if node.attr.startswith("__"):
            self.error(node, f"{node.attr!r} cannot be assigned")
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node = self.node_contents_visit(node)
        if not isinstance(node.ctx, ast.Load):
            node.value = _at(node.value, _call("_write_", node.value))
        return node

    # -- calls and operators ----------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in ("exec", "eval"):
            self.error(node, f"{node.func.id}() is not part of the workflow language", "write the code itself")
        zero_argument_super = isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args
        node = self.node_contents_visit(node)
        if zero_argument_super:  # it reads its caller's frame, so no guard may stand between
            return node
        node.args.insert(0, node.func)
        node.func = _at(node, ast.Name("_call_", ast.Load()))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        node = self.node_contents_visit(node)
        guard = _GUARDED_OPERATORS.get(type(node.op))
        return node if guard is None else _at(node, _call(guard, node.left, node.right))

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        node = self.node_contents_visit(node)
        if node.format_spec is None:
            return node
        conversion = ast.Constant(chr(node.conversion) if node.conversion > 0 else "")
        value = _at(node, _call("_format_", node.value, conversion, node.format_spec))
        return _at(node, ast.FormattedValue(value, -1, None))

    # -- statements -------------------------------------------------------------------------------------------

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        last = node is self._last
        node = self.node_contents_visit(node)
        if not isinstance(node.value, (ast.Constant, ast.Yield, ast.YieldFrom)):
            node.value = _at(node.value, _call("_statement_", node.value, ast.Constant(last)))
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        last = node is self._last and isinstance(node.targets[0], ast.Name)
        node = self.node_contents_visit(node)
        if last:
            node.value = _at(node.value, _call("_statement_", node.value, ast.Constant(True)))
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        node = self.node_contents_visit(node)
        if self._class_depth and not self._function_depth:
            return node
        if node.value is None:
            return _at(node, ast.Pass())
        return _at(node, ast.Assign([node.target], node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        operator = ast.Constant(IOPERATOR_TO_STR[type(node.op)])
        value = self.visit(node.value)
        target = node.target
        if isinstance(target, ast.Name):
            name = ast.Name(target.id, ast.Load())
            return _at(node, ast.Assign([target], _call("_inplacevar_", operator, name, value)))
        if isinstance(target, ast.Attribute):
            if target.attr in REFUSED_ATTRIBUTES or target.attr.startswith("__"):
                self.error(node, f"{target.attr!r} cannot be assigned")
            key: ast.expr = ast.Constant(target.attr)
            guard = "_augment_attribute_"
        else:
            key, guard = self.visit(target.slice), "_augment_item_"
        return _at(node, ast.Expr(_call(guard, self.visit(target.value), key, operator, value)))

    def visit_For(self, node: ast.For) -> ast.For:
        node = self.node_contents_visit(node)
        node.body.insert(0, _at(node, ast.Expr(_call("_step_"))))
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        node = self.node_contents_visit(node)
        node.body.insert(0, _at(node, ast.Expr(_call("_step_"))))
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node = self.node_contents_visit(node)
        if node.is_async:
            node.is_async = 0
            node.iter = _at(node.iter, _call("_aiter_", node.iter))
        return node

    def visit_With(self, node: ast.With) -> ast.AST:
        return self.node_contents_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node = self.node_contents_visit(node)
        if node.type is None:
            node.type = _at(node, ast.Name("Exception", ast.Load()))
        node.body.insert(0, _at(node, ast.Expr(_call("_caught_"))))
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        node = self.node_contents_visit(node)
        if self._function_depth or self._class_depth:
            return node
        return _at(node, ast.Expr(_call("_return_", node.value or ast.Constant(None))))

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        return node

    # -- imports ----------------------------------------------------------------------------------------------

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        if node.module == "__future__":
            return _at(node, ast.Pass())
        if node.level:
            self.error(node, "relative imports are not part of the workflow language")
        return self.check_import_names(node)

    # -- functions and classes --------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        fields = {name: getattr(node, name) for name in node._fields}
        function = _at(node, ast.FunctionDef(**fields))
        is_generator = any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in _own_nodes(node))
        transformed = self._function(function)
        if not is_generator:
            transformed.decorator_list.append(_at(node, ast.Name("_coroutine_", ast.Load())))
        return transformed

    def _function(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.args = self.visit(node.args)
        self._function_depth += 1
        body: list[ast.stmt] = []
        for statement in node.body:
            visited = self.visit(statement)
            body += visited if isinstance(visited, list) else [visited]
        self._function_depth -= 1
        start = 1 if ast.get_docstring(node, clean=False) is not None else 0
        body.insert(start, _at(node, ast.Expr(_call("_step_"))))
        node.body = body
        if getattr(node, "type_params", None):
            self.error(node, "type parameters are not part of the workflow language", "leave the types away")
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._function_depth += 1
        node = self.node_contents_visit(node)
        self._function_depth -= 1
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        if any(keyword.arg == "metaclass" or keyword.arg is None for keyword in node.keywords):
            self.error(node, "a metaclass is not part of the workflow language")
        if getattr(node, "type_params", None):
            self.error(node, "type parameters are not part of the workflow language", "leave the types away")
        outer = self._function_depth
        self._function_depth, self._class_depth = 0, self._class_depth + 1
        node = self.node_contents_visit(node)
        self._function_depth, self._class_depth = outer, self._class_depth - 1
        node.keywords = [_at(node, ast.keyword("metaclass", ast.Name("_class_", ast.Load())))]
        return node

    # -- async, compiled away ---------------------------------------------------------------------------------

    def visit_Await(self, node: ast.Await) -> ast.AST:
        return _at(node, _call("_await_", self.visit(node.value)))

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.AST:
        fields = {name: getattr(node, name) for name in node._fields}
        loop = self.visit_For(_at(node, ast.For(**fields)))
        loop.iter = _at(loop.iter, _call("_aiter_", loop.iter))
        return loop

    def visit_AsyncWith(self, node: ast.AsyncWith) -> ast.AST:
        fields = {name: getattr(node, name) for name in node._fields}
        block = self.node_contents_visit(_at(node, ast.With(**fields)))
        for item in block.items:
            item.context_expr = _at(item.context_expr, _call("_async_with_", item.context_expr))
        return block

    # -- match ------------------------------------------------------------------------------------------------

    def visit_Match(self, node: ast.Match) -> ast.AST:
        node = self.node_contents_visit(node)
        node.subject = _at(node.subject, _call("_subject_", node.subject))
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        for inner in ast.walk(node.pattern):
            if isinstance(inner, ast.Attribute) and (inner.attr in REFUSED_ATTRIBUTES or inner.attr.startswith("_")):
                self.error(inner, f"the attribute {inner.attr!r} cannot be used in a pattern")
            if isinstance(inner, ast.MatchClass):
                self._check_class_pattern(inner)
        if node.guard is not None:
            node.guard = self.visit(node.guard)
        node.body = [part for statement in node.body for part in _listed(self.visit(statement))]
        return node

    def _check_class_pattern(self, node: ast.MatchClass) -> None:
        for name in node.kwd_attrs:
            if name.startswith("_") or name in REFUSED_ATTRIBUTES or name in ("format", "func", "register"):
                self.error(node, f"the attribute {name!r} cannot be used in a pattern")


def identifiers(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Every identifier of a tree with the node that holds it, whatever the node's type."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            continue
        for name, value in ast.iter_fields(node):
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, str) and name not in ("type_comment", "str"):
                    for part in item.split("."):
                        yield node, part


def _rename_private(tree: ast.AST) -> None:
    """Give `__name` (which the compiler would mangle behind the guards' back) a plain private name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            continue
        for name, value in ast.iter_fields(node):
            if isinstance(value, str) and _is_mangled(value):
                setattr(node, name, f"_p{value}")
            elif isinstance(value, list):
                value[:] = [f"_p{item}" if isinstance(item, str) and _is_mangled(item) else item for item in value]


def _is_mangled(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions inside it."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)


def _listed(visited: ast.AST | list[ast.AST]) -> list[ast.stmt]:
    return visited if isinstance(visited, list) else [visited]  # type: ignore[return-value, list-item]


def _call(guard: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(guard, ast.Load()), list(arguments), [])


def _at(place: ast.AST, node: Node) -> Node:
    copy_locations(cast("ast.expr", node), cast("ast.expr", place))
    return node
