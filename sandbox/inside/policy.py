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

from RestrictedPython.transformer import INSPECT_ATTRIBUTES, IOPERATOR_TO_STR, RestrictingNodeTransformer

from sandbox.inside.trees import at, call, identifiers, listed, look_up, own_nodes, rename_private, resolved, thunk

_METHODS = """
    init post_init repr str format eq ne lt le gt ge hash bool len iter next reversed contains getitem setitem delitem call
    enter exit aenter aexit aiter anext add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv floordiv
    rfloordiv ifloordiv mod rmod imod divmod rdivmod pow rpow ipow matmul rmatmul imatmul and rand iand or ror ior xor rxor
    ixor lshift rlshift ilshift rshift rrshift irshift neg pos abs invert int float complex index round trunc floor ceil
"""
ALLOWED_METHODS = frozenset(f"__{name}__" for name in _METHODS.split())
ALLOWED_ATTRIBUTES = ALLOWED_METHODS | {
    "__name__", "__qualname__", "__doc__", "__class__", "__dict__", "__cause__", "__context__", "__members__"
}  # fmt: skip
ALLOWED_NAMES = frozenset({"__name__", "__match_args__", "__slots__"})
ENUM_NAMES = frozenset({"_missing_", "_value_", "_name_", "_generate_next_value_", "_ignore_", "_order_"})
"""What the enums of the standard library are customised with; no guard has such a name."""
REFUSED_ATTRIBUTES = INSPECT_ATTRIBUTES | {"mro", "format_map", "tb_lasti", "tb_lineno", "obj"}
_REFUSED_IN_TEXT = REFUSED_ATTRIBUTES - {"obj", "mro"}
"""Refused before the program runs; the other two are good names for a program's own attributes."""
_FUTURE = "__future__"
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
    _lazy_annotations = False

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
        rename_private(node)
        self._last = node.body[-1] if node.body else None
        self._lazy_annotations = any(isinstance(s, ast.ImportFrom) and s.module == _FUTURE for s in node.body)
        return self.node_contents_visit(node)

    def _check_identifier(self, node: ast.AST, name: str) -> None:
        if not name.isascii():
            self.error(node, f"the name {name!r} is not ASCII", "use plain letters, digits and underscores")
        elif name.startswith("__") and name.endswith("__") and len(name) > 4:
            self._check_dunder(node, name)
        elif name in ENUM_NAMES:
            return
        elif name.endswith("__roles__") or (name not in ("_", "__") and _GUARD_NAME.fullmatch(name)):
            self.error(node, f"the name {name!r} is reserved", "choose a name without underscores at its ends")

    def _check_dunder(self, node: ast.AST, name: str) -> None:
        if isinstance(node, ast.Attribute):
            allowed = name in ALLOWED_ATTRIBUTES
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            allowed = name in ALLOWED_METHODS
        elif isinstance(node, ast.ImportFrom):
            allowed = name == _FUTURE
        else:
            allowed = isinstance(node, ast.Name) and name in ALLOWED_NAMES | ALLOWED_METHODS
        if not allowed:
            self.error(node, f"{name!r} is not part of the workflow language", "use ordinary functions and attributes")

    def check_name(self, node: ast.AST, name: str | None, allow_magic_methods: bool = False) -> None:
        """Nothing: `visit_Module` has checked every identifier already."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr in _REFUSED_IN_TEXT:
            self.error(node, f"the attribute {node.attr!r} is not part of the workflow language")
        node = self.node_contents_visit(node)
        if isinstance(node.ctx, ast.Load):
            return at(node, call("_getattr_", node.value, ast.Constant(node.attr)))
        node.value = at(node.value, call("_write_", node.value))
        if node.attr.startswith("__"):
            self.error(node, f"{node.attr!r} cannot be assigned")
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node = self.node_contents_visit(node)
        if not isinstance(node.ctx, ast.Load):
            node.value = at(node.value, call("_write_", node.value))
        return node

    # -- calls and operators ----------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in ("exec", "eval"):
            self.error(node, f"{node.func.id}() is not part of the workflow language", "write the code itself")
        zero_argument_super = isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args
        node = self.node_contents_visit(node)
        for keyword in node.keywords:
            if keyword.arg is None:
                keyword.value = resolved(keyword.value)
        if zero_argument_super:  # it reads its caller's frame, so no guard may stand between
            return node
        node.args.insert(0, node.func)
        node.func = at(node, ast.Name("_call_", ast.Load()))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        node = self.node_contents_visit(node)
        guard = _GUARDED_OPERATORS.get(type(node.op))
        return node if guard is None else at(node, call(guard, node.left, node.right))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`handle is None` asks for the handle's value."""
        node = self.node_contents_visit(node)
        operands = [node.left, *node.comparators]
        for place, operator in enumerate(node.ops):
            pair = operands[place : place + 2]
            if isinstance(operator, (ast.Is, ast.IsNot)) and any(isinstance(side, ast.Constant) for side in pair):
                operands[place : place + 2] = [resolved(side) for side in pair]
        node.left, node.comparators = operands[0], operands[1:]
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        node = self.node_contents_visit(node)
        pairs = zip(node.keys, node.values, strict=True)
        node.values = [value if key is not None else resolved(value) for key, value in pairs]
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        node = self.node_contents_visit(node)
        conversion = ast.Constant(chr(node.conversion) if node.conversion > 0 else "")
        value = at(node, call("_format_", node.value, conversion, node.format_spec or ast.Constant("")))
        return at(node, ast.FormattedValue(value, -1, None))

    # -- statements -------------------------------------------------------------------------------------------

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        last = node is self._last
        node = self.node_contents_visit(node)
        if not isinstance(node.value, (ast.Constant, ast.Yield, ast.YieldFrom)):
            node.value = at(node.value, call("_statement_", node.value, ast.Constant(last)))
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        last = node is self._last and isinstance(node.targets[0], ast.Name)
        node = self.node_contents_visit(node)
        if last:
            node.value = at(node.value, call("_statement_", node.value, ast.Constant(True)))
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        node = self.node_contents_visit(node)
        if self._class_depth and not self._function_depth:
            if self._lazy_annotations and not isinstance(node.annotation, ast.Constant):
                node.annotation = at(node.annotation, call("_annotation_", thunk(node.annotation)))
            return node
        if node.value is None:
            return at(node, ast.Pass())
        return at(node, ast.Assign([node.target], node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        operator = ast.Constant(IOPERATOR_TO_STR[type(node.op)])
        value = self.visit(node.value)
        target = node.target
        if isinstance(target, ast.Name):
            name = ast.Name(target.id, ast.Load())
            return at(node, ast.Assign([target], call("_inplacevar_", operator, name, value)))
        if isinstance(target, ast.Attribute):
            if target.attr in _REFUSED_IN_TEXT or target.attr.startswith("__"):
                self.error(node, f"{target.attr!r} cannot be assigned")
            key: ast.expr = ast.Constant(target.attr)
            guard = "_augment_attribute_"
        else:
            key, guard = self.visit(target.slice), "_augment_item_"
        return at(node, ast.Expr(call(guard, self.visit(target.value), key, operator, value)))

    def visit_For(self, node: ast.For) -> ast.For:
        node = self.node_contents_visit(node)
        node.body.insert(0, at(node, ast.Expr(call("_step_"))))
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        node = self.node_contents_visit(node)
        node.body.insert(0, at(node, ast.Expr(call("_step_"))))
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node = self.node_contents_visit(node)
        if node.is_async:
            node.is_async = 0
            node.iter = at(node.iter, call("_aiter_", node.iter))
        return node

    def visit_With(self, node: ast.With) -> ast.AST:
        node = self.node_contents_visit(node)
        for item in node.items:
            item.context_expr = at(item.context_expr, call("_with_", item.context_expr))
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node = self.node_contents_visit(node)
        if node.type is None:
            node.type = at(node, ast.Name("Exception", ast.Load()))
        node.body.insert(0, at(node, ast.Expr(call("_caught_"))))
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        node = self.node_contents_visit(node)
        if self._function_depth or self._class_depth:
            return node
        return at(node, ast.Expr(call("_return_", node.value or ast.Constant(None))))

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        return node

    # -- imports ----------------------------------------------------------------------------------------------

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        if node.module == _FUTURE:
            return at(node, ast.Pass())
        if node.level:
            self.error(node, "relative imports are not part of the workflow language")
        for alias in node.names:
            if alias.name.startswith("_"):
                self.error(node, f"the private name {alias.name!r} cannot be imported")
        return self.check_import_names(node)

    # -- functions and classes --------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        fields = {name: getattr(node, name) for name in node._fields}
        function = at(node, ast.FunctionDef(**fields))
        is_generator = any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in own_nodes(node))
        transformed = self._function(function)
        if not is_generator:
            transformed.decorator_list.append(at(node, ast.Name("_coroutine_", ast.Load())))
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
        body.insert(start, at(node, ast.Expr(call("_step_"))))
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
        node.keywords = [at(node, ast.keyword("metaclass", ast.Name("_class_", ast.Load())))]
        return node

    # -- async, compiled away ---------------------------------------------------------------------------------

    def visit_Await(self, node: ast.Await) -> ast.AST:
        return at(node, call("_await_", self.visit(node.value)))

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.AST:
        fields = {name: getattr(node, name) for name in node._fields}
        loop = self.visit_For(at(node, ast.For(**fields)))
        loop.iter = at(loop.iter, call("_aiter_", loop.iter))
        return loop

    def visit_AsyncWith(self, node: ast.AsyncWith) -> ast.AST:
        fields = {name: getattr(node, name) for name in node._fields}
        block = self.node_contents_visit(at(node, ast.With(**fields)))
        for item in block.items:
            item.context_expr = at(item.context_expr, call("_async_with_", item.context_expr))
        return block

    # -- match ------------------------------------------------------------------------------------------------

    def visit_Match(self, node: ast.Match) -> ast.AST | list[ast.stmt]:
        """Python reads the names of patterns behind the guards' back, so they are replaced by look-ups.

        `case Color.RED` becomes `case _patterns_.p0`, and the line before makes the object `_patterns_`, which
        evaluates `Color.RED`, rewritten like any other expression, when it is asked for `p0`.
        """
        names: list[ast.expr] = []
        for case in node.cases:
            for inner in ast.walk(case.pattern):
                if isinstance(inner, ast.MatchClass):
                    self._check_class_pattern(inner)
                    has_attributes = ast.Constant(bool(inner.patterns or inner.kwd_attrs))
                    found = at(inner, call("_pattern_class_", self.visit(inner.cls), has_attributes))
                    inner.cls = look_up(inner.cls, found, names)
                elif isinstance(inner, ast.MatchValue):
                    inner.value = self._pattern_value(inner.value, names)
                elif isinstance(inner, ast.MatchMapping):
                    inner.keys = [self._pattern_value(key, names) for key in inner.keys]
        node = self.node_contents_visit(node)
        node.subject = at(node.subject, call("_subject_", node.subject))
        if not names:
            return node
        made = call("_lookups_", *(at(name, thunk(name)) for name in names))
        return [at(node, ast.Assign([ast.Name("_patterns_", ast.Store())], made)), node]

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        if node.guard is not None:
            node.guard = self.visit(node.guard)
        node.body = [part for statement in node.body for part in listed(self.visit(statement))]
        return node

    def _pattern_value(self, value: ast.expr, names: list[ast.expr]) -> ast.expr:
        return look_up(value, self.visit(value), names) if isinstance(value, ast.Attribute) else value

    def _check_class_pattern(self, node: ast.MatchClass) -> None:
        for name in node.kwd_attrs:
            if name.startswith("_") or name in REFUSED_ATTRIBUTES or name in ("format", "func", "register"):
                self.error(node, f"the attribute {name!r} cannot be used in a pattern")
