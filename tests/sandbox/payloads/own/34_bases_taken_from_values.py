# kind: bases taken from values | must: value ["refused", "refused", "refused", "refused", "refused", "refused", "refused", "refused", "refused", "refused", "refused"]
import json, asyncio
got = []
def attempt(make):
    try:
        make()
        got.append("ESCAPED")
    except TypeError:
        got.append("refused")
def a():
    class A(type(ask)): pass
def b():
    class A(type(asyncio)): pass
def c():
    class A(type(1.0)): pass
def d():
    class A(type(x for x in [])): pass
def e():
    class A(type(asyncio.Semaphore(1))): pass
def f():
    class A(type(asyncio.get_event_loop())): pass
def g():
    class A(type): pass
def h():
    class A(asyncio.Task): pass
def i():
    class A(type(gather)): pass
def j():
    class A(dict): pass
def k():
    class A(property): pass
for f in (a, b, c, d, e, f, g, h, i, j, k):
    attempt(f)
return got
