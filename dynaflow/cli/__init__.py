"""The command line: `dynaflow`.

One file a command, each a plain function; `app` gathers them, `exits` says how they end. Answers go to
standard output, everything else to standard error. What is heavy to import is imported inside the commands,
so that `dynaflow --help` stays quick.
"""

from __future__ import annotations


def main() -> int:
    """Run the command line and give its exit code; the `dynaflow` script calls it."""
    from dynaflow.cli.app import build
    from dynaflow.cli.exits import guarded

    return guarded(build())
