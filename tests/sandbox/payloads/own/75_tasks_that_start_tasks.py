# kind: tasks that start tasks | must: error LimitExceeded
import asyncio
async def grow():
    while True:
        asyncio.create_task(grow())
        await asyncio.sleep(0)
asyncio.run(grow())
