"""`dynaflow check`: what is wrong with a program, without running it."""

import re
from functools import partial
from typing import TYPE_CHECKING

import typer

from dynaflow.cli import options
from dynaflow.cli.exits import NO_ANSWER, note

if TYPE_CHECKING:
    from sandbox.contract import Finding


def check(file: options.ProgramFile, pool: options.PoolFile = None, policy: options.PolicyFile = None) -> None:
    """Check a program as it is checked before it runs: syntax, policy, names, agents, arguments, unused results.

    Findings go to standard output. Exit codes: 0 nothing found, 1 findings, 2 bad input or set-up.
    """
    import anyio

    from dynaflow import solving
    from dynaflow.wording import count, visible

    agents, allowed = options.read_pool(pool), options.read_policy(policy)
    findings = anyio.run(partial(solving.check_program, options.read_program(file), pool=agents, policy=allowed))
    for finding in findings:
        typer.echo(visible(_worded(str(file), finding)))
    note(f"{file}: {count(len(findings), 'finding') if findings else 'nothing found'}")
    if findings:
        raise typer.Exit(NO_ANSWER)


def _worded(name: str, finding: "Finding") -> str:
    """A finding as compilers word them; tabs before the caret stay tabs, so that it stands where it should."""
    before = re.sub(r"[^\t]", " ", finding.source_line[: finding.column])
    lines = [f"{name}:{finding.line}:{finding.column + 1}: {finding.kind}: {finding.message}"]
    if finding.source_line:
        lines += [f"  {finding.source_line}", f"  {before}^"]
    if finding.hint:
        lines.append(f"  hint: {finding.hint}")
    return "\n".join(lines)
