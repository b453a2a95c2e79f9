# kind: what wraps does not hand out | must: value []
import functools
@functools.wraps(ask)
def f(): pass
@functools.lru_cache
def g(): pass
got = []
for thing in (f, g, functools.partial(ask, "solver"), functools.cmp_to_key(lambda a, b: 0)(1)):
    for name in ("__wrapped__", "func", "obj", "__self__"):
        try:
            got.append(f"{name} {getattr(thing, name)}")
        except AttributeError:
            pass
return got
