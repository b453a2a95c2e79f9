# kind: exit sees our exceptions and a traceback | must: value "contained"
seen = []
class CM:
    def __enter__(self): return self
    def __exit__(self, kind, value, tb):
        seen.append(tb)
        return True
def f():
    with CM():
        raise ValueError
f()
if any(tb is not None for tb in seen):
    return "ESCAPED"
with CM():
    return "contained"
return "ESCAPED by swallowing"
