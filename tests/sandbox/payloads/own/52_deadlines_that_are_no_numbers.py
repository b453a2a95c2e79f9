# kind: deadlines that are no numbers | must: value ["TypeError", "OverflowError", "ValueError", "solver: q", "solver: q", "solver: q", "solver: q", "solver: q"]
import asyncio
class S:
    def __radd__(self, o): return self
    def __lt__(self, o): raise ValueError("in the hub")
    __gt__ = __lt__
    def __float__(self): return 5
got = []
async def go(seconds):
    try:
        async with asyncio.timeout(seconds):
            return await ask("solver", "q")
    except Exception as e:
        return type(e).__name__
for seconds in (S(), 10 ** 400, float("nan"), float("inf"), -1, "5", 1e308, True):
    got.append(await go(seconds))
return got
