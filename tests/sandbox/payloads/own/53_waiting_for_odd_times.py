# kind: waiting for odd times | must: value ["ValueError", "ValueError", "ValueError", "OverflowError", "ValueError", "slept"]
import asyncio, time
got = []
for seconds in (float("nan"), float("inf"), -5, 10 ** 400, "x", 1e300):
    try:
        await asyncio.sleep(seconds)
        got.append("slept")
    except Exception as e:
        got.append(type(e).__name__)
return got
