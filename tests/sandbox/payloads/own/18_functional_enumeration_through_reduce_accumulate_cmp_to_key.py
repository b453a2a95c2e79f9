# kind: functional enumeration through reduce, accumulate, cmp_to_key, submit | must: value ["ValueError", "ValueError", "ValueError", "ValueError", "ValueError", "ValueError"]
from enum import Enum
import functools, itertools
from concurrent.futures import ThreadPoolExecutor
hooks = {"A": 1, "__getattr__": lambda self, n: n}
got = []
for attempt in [
    lambda: functools.reduce(Enum, [hooks], "X"),
    lambda: list(itertools.accumulate(["X", hooks], Enum))[1],
    lambda: sorted(["X", hooks], key=functools.cmp_to_key(Enum)),
    lambda: ThreadPoolExecutor().submit(Enum, "X", hooks).result(),
    lambda: list(map(Enum, ["X"], [hooks]))[0],
    lambda: functools.partial(Enum, "X")(hooks),
]:
    try:
        got.append("ESCAPED " + str(attempt()))
    except (ValueError, TypeError) as e:
        got.append(type(e).__name__)
return got
