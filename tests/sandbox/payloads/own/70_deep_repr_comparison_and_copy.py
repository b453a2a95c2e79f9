# kind: deep repr, comparison and copy | must: value ["deep", "deep", "deep", "deep", "deep", "deep", "deep", "refused", "deep", "refused"]
import copy, json
x, y = [], []
for _ in range(100_000):
    x, y = [x], [y]
got = []
for f in (lambda: repr(x), lambda: x == y, lambda: copy.deepcopy(x), lambda: json.dumps(x), lambda: f"{x}", lambda: sorted([x, y]), lambda: hash(str(x)), lambda: ask("solver", "q", inputs=x), lambda: print(x), lambda: share("a", x)):
    try:
        f()
        got.append("done")
    except RecursionError:
        got.append("deep")
    except TypeError as e:
        got.append("refused")
return got
