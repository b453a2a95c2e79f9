# kind: value pattern reads a task | must: error WorkflowRuntimeError AttributeError
import asyncio
from concurrent.futures import ThreadPoolExecutor
class Catch:
    def __eq__(self, other):
        self.got = other
        return False
t = ThreadPoolExecutor().submit(lambda: ask("solver", "q"))
c = Catch()
match c:
    case t.branch:
        pass
return "ESCAPED " + str(c.got)
