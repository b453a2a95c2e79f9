import asyncio
from contextlib import asynccontextmanager
async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i
class Chunks:
    def __init__(self, xs): self.xs = list(xs)
    def __aiter__(self): return self
    async def __anext__(self):
        if not self.xs:
            raise StopAsyncIteration
        await asyncio.sleep(0)
        return self.xs.pop(0)
class Session:
    def __init__(self, log): self.log = log
    async def __aenter__(self):
        self.log.append("open")
        return self
    async def __aexit__(self, *exc):
        self.log.append("close")
log = []
@asynccontextmanager
async def resource(name):
    log.append(f"get {name}")
    try:
        yield name
    finally:
        log.append(f"free {name}")
async def main():
    out = [x async for x in ticks(3) if x]
    async for c in Chunks("ab"):
        out.append(c)
    async with Session(log) as s, resource("r") as r:
        out.append(r)
    d = {k: v async for k, v in pairs()}
    return [out, d, sum([x async for x in ticks(4)])]
async def pairs():
    yield "k", 1
result = [asyncio.run(main()), log]
