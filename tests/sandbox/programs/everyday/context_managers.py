from contextlib import contextmanager, suppress, nullcontext
log = []
class Timer:
    def __init__(self, name): self.name = name
    def __enter__(self):
        log.append(f"enter {self.name}")
        return self
    def __exit__(self, exc_type, exc, tb):
        log.append(f"exit {self.name} {exc_type.__name__ if exc_type else None} {exc}")
        return exc_type is ValueError
@contextmanager
def tag(name):
    log.append(f"<{name}>")
    try:
        yield name.upper()
    except KeyError as e:
        log.append(f"caught {e}")
    finally:
        log.append(f"</{name}>")
with Timer("a") as t, Timer("b"):
    log.append(t.name)
with Timer("c"):
    raise ValueError("x")
with tag("p") as p:
    log.append(p)
with tag("q"):
    raise KeyError("k")
with suppress(ZeroDivisionError):
    1 / 0
with nullcontext(5) as five:
    log.append(five)
def early():
    with Timer("f"):
        return "returned"
log.append(early())
try:
    with Timer("d"):
        raise TypeError("y")
except TypeError:
    log.append("outer")
result = log
