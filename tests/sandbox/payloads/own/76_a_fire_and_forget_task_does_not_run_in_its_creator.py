# kind: a fire-and-forget task does not run in its creator | must: value ["main", "task"]
import asyncio
log = []
async def f():
    log.append("task")
async def main():
    asyncio.create_task(f())
    log.append("main")
    await asyncio.sleep(0)
asyncio.run(main())
return log
