# kind: future that is its own value | must: error DeadlockError
import asyncio
async def main():
    f = asyncio.get_running_loop().create_future()
    f.set_result(f)
    return await f
return asyncio.run(main())
