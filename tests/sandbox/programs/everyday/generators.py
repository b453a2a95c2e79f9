def countdown(n):
    while n:
        got = yield n
        if got:
            n = got
        n -= 1
    return "done"
def outer():
    r = yield from countdown(2)
    yield r
g = countdown(5)
first = next(g)
sent = g.send(3)
def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
seen = []
def cleanup():
    try:
        yield 1
        yield 2
    finally:
        seen.append("closed")
c = cleanup()
next(c)
c.close()
from itertools import islice
class Repeat:
    def __init__(self, n): self.n = n
    def __iter__(self):
        for i in range(self.n):
            yield i
gen = (x * x for x in range(3))
result = [first, sent, list(outer()), list(islice(fib(), 8)), seen, list(Repeat(3)), sum(Repeat(4)), list(gen), list(gen), 2 in Repeat(3), [*Repeat(2)], max(Repeat(3)), dict(zip("ab", fib()))]
try:
    next(iter([]))
except StopIteration as e:
    result.append(e.value)
