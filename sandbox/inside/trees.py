"""Syntax trees: reading their identifiers, and making the small pieces that the policy puts into them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeVar, cast

from RestrictedPython.transformer import copy_locations

Node = TypeVar("Node", bound=ast.AST)


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


def rename_private(tree: ast.AST) -> None:
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


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions inside it."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)


def listed(visited: ast.AST | list[ast.AST]) -> list[ast.stmt]:
    """What a visit of a statement gave, as statements."""
    return visited if isinstance(visited, list) else [visited]  # type: ignore[return-value, list-item]


def call(guard: str, *arguments: ast.expr) -> ast.Call:
    """A call of a guard."""
    return ast.Call(ast.Name(guard, ast.Load()), list(arguments), [])


def resolved(value: ast.expr) -> ast.expr:
    """The expression with a handle waited for."""
    return value if isinstance(value, ast.Constant) else at(value, call("_get_", value))


def thunk(value: ast.expr) -> ast.Lambda:
    """`lambda: value`."""
    no_arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return at(value, ast.Lambda(no_arguments, value))


def look_up(place: ast.expr, value: ast.expr, names: list[ast.expr]) -> ast.expr:
    """The attribute of `_patterns_` that stands for `value`."""
    names.append(value)
    return at(place, ast.Attribute(ast.Name("_patterns_", ast.Load()), f"p{len(names) - 1}", ast.Load()))


def at(place: ast.AST, node: Node) -> Node:
    """The node with the line and column of `place`."""
    copy_locations(cast("ast.expr", node), cast("ast.expr", place))
    return node
