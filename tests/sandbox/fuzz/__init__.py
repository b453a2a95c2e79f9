"""Random frames and random programs against a real sandbox, and the same program in many zygotes.

    python -m tests.sandbox.fuzz --frames 100000 --programs 20000 --zygotes 50

Hypothesis draws what is sent; real children send it. Nothing may come of it in the host but the sandbox's own errors, and no
process and no descriptor may be left. The suite runs the same with small numbers (`tests/sandbox/test_fuzz.py`).
"""
