# kind: a generator's end that never ends | must: error LimitExceeded
def g():
    try:
        yield 1
    finally:
        while True:
            pass
it = g()
next(it)
del it
return "ESCAPED"
