# kind: more tasks than fit | must: error LimitExceeded
import asyncio
async def f():
    await asyncio.sleep(1)
    return 1
ts = []
for i in range(20000):
    ts.append(asyncio.create_task(f()))
await asyncio.sleep(0)
return len(ts)
