# kind: a generator's end that waits | must: value ["solver: late"]
import asyncio
log = []
def g():
    try:
        yield 1
    finally:
        log.append(str(ask("solver", "late")))
it = g()
next(it)
it = None
return log
