import asyncio
async def main():
    sem, lock, ev, q = asyncio.Semaphore(2), asyncio.Lock(), asyncio.Event(), asyncio.Queue()
    active, peak, total = 0, 0, 0
    async def limited(i):
        nonlocal active, peak, total
        async with sem:
            active += 1
            peak = max(peak, active)
            await asyncio.sleep(0.001)
            active -= 1
        async with lock:
            total += i
        return i
    rs = await asyncio.gather(*[limited(i) for i in range(5)])
    async def waiter():
        await ev.wait()
        return "released"
    w = asyncio.create_task(waiter())
    await asyncio.sleep(0)
    before = w.done()
    ev.set()
    got = await w
    out = []
    async def worker(name):
        while True:
            item = await q.get()
            if item is None:
                q.task_done()
                return
            out.append(item * 2)
            q.task_done()
    for i in [1, 2, 3, None, None]:
        q.put_nowait(i)
    ws = [asyncio.create_task(worker(n)) for n in "ab"]
    await q.join()
    await asyncio.gather(*ws)
    async def fail(): raise ValueError("bad")
    res = await asyncio.gather(fail(), limited(1), return_exceptions=True)
    try:
        await asyncio.gather(fail(), limited(1))
        err = None
    except ValueError as e:
        err = str(e)
    t = asyncio.create_task(asyncio.sleep(10))
    await asyncio.sleep(0)
    t.cancel()
    try:
        await t
    except asyncio.CancelledError:
        err += " cancelled"
    return [rs, peak, before, got, sorted(out), type(res[0]).__name__, res[1], err, t.cancelled(), q.empty()]
result = asyncio.run(main())
