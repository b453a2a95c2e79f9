# kind: unsendable inputs | must: value ["TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError", true, "TypeError", "TypeError", "TypeError"]
cyclic = []
cyclic.append(cyclic)
deep = []
for _ in range(60):
    deep = [deep]
class Bad:
    def __init__(self): self.x = self
got = []
for value in (cyclic, deep, Bad(), float("nan"), float("inf"), {1: {2: object()}}, b"x", object, ask, [lambda: 0], 10 ** 4000, "\ud800", {object(): 1}, type(1), (x for x in [1])):
    try:
        got.append(ask("solver", "q", inputs={"v": value}) == "solver: q")
    except Exception as e:
        got.append(type(e).__name__)
return got
