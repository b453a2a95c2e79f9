# kind: a shared class is changed | must: value ["refused"]
import math, collections
got = []
for f in (lambda: setattr(collections.Counter, "x", 1), lambda: setattr(math, "pi", 3), lambda: setattr(ValueError, "x", 1), lambda: setattr(ask, "x", 1), lambda: setattr("x", "y", 1), lambda: setattr(CallFailed, "x", 1)):
    try:
        f()
        got.append("ESCAPED")
    except TypeError:
        got.append("refused")
return set(got)
