import re
lines = ["a=1", "b", "c=3"]
pairs = {m.group(1): int(m.group(2)) for line in lines if (m := re.match(r"(\w)=(\d)", line))}
first, *middle, last = [1, 2, 3, 4]
(a, b), c = (1, 2), 3
def f(a, /, b, *args, c=3, **kw):
    return [a, b, args, c, kw]
def g(*, key="k"):
    return key
i = 0
while (i := i + 1) < 5:
    pass
head, *_ = "xyz"
x = y = []
x.append(1)
a, b = b, a
result = [pairs, first, middle, last, f(1, 2, 3, 4, c=5, d=6), f(1, b=2), g(key=1), i, head, y, a, b, [*"ab", *range(2)], {*[1], *[2]} == {1, 2}, max(*[1, 2]), print("x", end="") is None]
