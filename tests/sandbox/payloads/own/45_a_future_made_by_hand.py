# kind: a future made by hand | must: error WorkflowRuntimeError TypeError
import asyncio
class Fake:
    current = 5
    def park(self): return "ESCAPED"
f = asyncio.Future(Fake())
return str(f)
