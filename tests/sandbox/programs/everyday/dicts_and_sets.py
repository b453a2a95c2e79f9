d = {"a": 1, "b": 2}
d |= {"c": 3}
e = d | {"a": 9}
removed = d.pop("a")
inv = {v: k for k, v in d.items()}
d.setdefault("z", []).append(1)
s, t = {1, 2, 3}, {2, 3, 4}
fs = frozenset("ab")
nested = {"x": {"y": {"z": 1}}}
cur = nested
for k in "xyz":
    cur = cur.get(k, {}) if isinstance(cur, dict) else cur
keys = list(d.keys())
for k in list(d):
    if k == "b":
        del d[k]
merged = {}
for part in [{"p": 1}, {"q": 2}]:
    merged.update(part)
result = [e, removed, inv, d, sorted(s & t), sorted(s | t), sorted(s - t), sorted(s ^ t), s <= {1, 2, 3, 4}, sorted(fs), cur, keys, merged, dict.fromkeys("ab", 0), dict([("k", "v")]), list(d.values()), "z" in d, d.get("nope"), len(d), sorted(d.items(), key=str), s.isdisjoint({9}), {(1, 2): "t"}[(1, 2)], d.popitem(), dict(a=1, **{"b": 2}), next(iter({"first": 1})), [*{"u": 1}], bool({}), set() == set([]), sorted(set("hello")), {1: 2} == {1: 2}]
