# kind: more tasks than fit, deep in their stacks | must: error LimitExceeded
import asyncio
def rec(n):
    if n == 0:
        import time
        time.sleep(1)
        return 1
    return rec(n - 1)
async def f():
    return rec(20)
ts = []
for i in range(9000):
    ts.append(asyncio.create_task(f()))
await asyncio.sleep(0)
return len(ts)
