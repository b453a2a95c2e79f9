from collections import defaultdict, OrderedDict, deque, ChainMap
d = defaultdict(lambda: defaultdict(int))
for k, w in [("x", "a"), ("x", "a"), ("y", "b")]:
    d[k][w] += 1
od = OrderedDict(a=1, b=2)
od.move_to_end("a")
q = deque([1, 2, 3], maxlen=3)
q.append(4)
q.rotate(1)
cm = ChainMap({"a": 1}, {"a": 2, "b": 3})
result = [{k: dict(v) for k, v in d.items()}, list(od), list(q), cm["a"], dict(cm), "x" in d, q.popleft(), repr(q), repr(od)]
