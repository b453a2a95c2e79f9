# kind: dictionary changed while a guard walks it | must: value "TypeError"
class K:
    def __init__(self, d): self.d = d
    def __hash__(self): return 1
    def __eq__(self, o):
        self.d.clear()
        return False
    def __str__(self):
        self.d["n"] = 1
        return "k"
d = {}
d[K(d)] = 1
try:
    return ask("solver", "q", inputs=d)
except Exception as e:
    return type(e).__name__
