# kind: error whose text raises, in an input | must: error WorkflowRuntimeError CallFailed
class E(Exception):
    def __str__(self): raise ValueError("no text")
    __repr__ = __str__
async def f():
    ask("solver", "a").upper()
    raise E
return str(ask("solver", "q", inputs=f()))
