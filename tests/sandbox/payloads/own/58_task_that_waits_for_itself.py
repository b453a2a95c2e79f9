# kind: task that waits for itself | must: error DeadlockError
import asyncio
async def main():
    async def me():
        return await t
    t = asyncio.create_task(me())
    return await t
return asyncio.run(main())
