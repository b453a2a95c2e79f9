"""The command: see the package."""

from __future__ import annotations

import argparse
import random
import sys
import time

import anyio

from tests.sandbox.fuzz import runs
from tests.sandbox.fuzz.drawing import Report


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.sandbox.fuzz", description="Fuzz the sandbox.")
    parser.add_argument("--frames", type=int, default=0, metavar="N", help="frames that the host reads")
    parser.add_argument("--programs", type=int, default=0, metavar="N", help="programs that are run")
    parser.add_argument("--zygotes", type=int, default=0, metavar="N", help="zygotes that run the same program")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="where the drawing begins")
    chosen = parser.parse_args()
    found = False
    for name, function in (("frames", runs.frames), ("programs", runs.programs), ("zygotes", runs.zygotes)):
        count = getattr(chosen, name)
        if count:
            started = time.monotonic()
            report: Report = anyio.run(function, count, chosen.seed)
            print(f"{name} (seed {chosen.seed}), {time.monotonic() - started:.0f} s:", dict(report.counts))  # noqa: T201
            for finding in report.findings:
                print("\nFINDING:", finding)  # noqa: T201
            found = found or bool(report.findings)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
