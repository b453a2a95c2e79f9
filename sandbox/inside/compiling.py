"""From the text of a program to code: parsed, measured, checked against the policy and rewritten."""

from __future__ import annotations

import ast
import types
import unicodedata  # noqa: F401 - the parser imports it at a "\N{...}", which a walled child cannot
from typing import cast

from sandbox.errors import LimitExceeded, PolicyViolation, WorkflowError, WorkflowSyntaxError
from sandbox.inside.policy import Refusal, WorkflowPolicy
from sandbox.limits import Limits, too_long

PROGRAM_FILE = "<workflow>"
"""The file name of every program's code; by it a line of the program is told from a line of the runtime."""


def compile_program(program: str, limits: Limits) -> types.CodeType | WorkflowError:
    """The code of a program, or the first thing that is wrong with it."""
    tree = parse_program(program, limits)
    if isinstance(tree, WorkflowError):
        return tree
    lines = program.splitlines()
    try:
        errors: list[str] = []
        WorkflowPolicy(errors, [], {}).visit(tree)
        if errors:
            first = cast("Refusal", errors[0])
            return PolicyViolation(str(first), first.line, _nth(lines, first.line), first.hint)
        return compile(tree, PROGRAM_FILE, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        return WorkflowSyntaxError(str(getattr(error, "msg", error)), line, _nth(lines, line))


def parse_program(program: str, limits: Limits) -> ast.Module | WorkflowError:
    """The syntax tree, or why there is none."""
    long = too_long(program, limits)
    if long is not None:
        return long
    try:
        tree = ast.parse(program, PROGRAM_FILE)
    except SyntaxError as error:
        return WorkflowSyntaxError(error.msg, error.lineno, (error.text or "").strip() or None)
    except (ValueError, RecursionError, MemoryError) as error:
        return WorkflowSyntaxError(f"the program cannot be parsed: {error}")
    if _deeper_than(tree, limits.ast_depth):
        message = f"the program is nested deeper than {limits.ast_depth}"
        return LimitExceeded(message, hint="split the expression", limit="depth", value=limits.ast_depth)
    return tree


def _deeper_than(tree: ast.AST, depth: int) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(depth):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


def _nth(lines: list[str], line: int | None) -> str | None:
    return lines[line - 1].strip() if line and line <= len(lines) else None
