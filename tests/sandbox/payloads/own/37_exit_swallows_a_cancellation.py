# kind: exit swallows a cancellation | must: value [true, []]
import asyncio
class CM:
    def __enter__(self): return self
    def __exit__(self, *error): return True
log = []
async def stubborn():
    while True:
        with CM():
            await asyncio.sleep(1000)
            log.append("woke")
async def main():
    t = asyncio.create_task(stubborn())
    await asyncio.sleep(1)
    t.cancel()
    await asyncio.sleep(1)
    return t.cancelled()
return [asyncio.run(main()), log]
