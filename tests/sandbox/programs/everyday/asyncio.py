import asyncio
log = []
async def work(name, delay):
    log.append(f"start {name}")
    await asyncio.sleep(delay)
    log.append(f"end {name}")
    return name
async def main():
    a = await asyncio.gather(work("a", 0.02), work("b", 0.01))
    t1 = asyncio.create_task(work("c", 0.02))
    t2 = asyncio.create_task(work("d", 0.01))
    done, pending = await asyncio.wait({t1, t2}, return_when=asyncio.FIRST_COMPLETED)
    first = [t.result() for t in done]
    await asyncio.wait(pending)
    order = []
    for fut in asyncio.as_completed([work("e", 0.02), work("f", 0.01)]):
        order.append(await fut)
    try:
        await asyncio.wait_for(work("g", 5), timeout=0.01)
        late = None
    except asyncio.TimeoutError:
        late = "timeout"
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(5)
    except TimeoutError:
        late += " block"
    async with asyncio.TaskGroup() as tg:
        ts = [tg.create_task(work(n, 0)) for n in "hi"]
    return [a, first, order, late, [t.result() for t in ts]]
result = asyncio.run(main())
result.append(log[:4])
