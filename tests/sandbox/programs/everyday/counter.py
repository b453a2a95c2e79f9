from collections import Counter, defaultdict
votes = ["a", "b", "a", "c", "b", "a"]
c = Counter(votes)
groups = defaultdict(list)
for i, v in enumerate(votes):
    groups[v].append(i)
c.update(["c", "c"])
result = [c.most_common(2), dict(groups), sum(c.values()), c["zzz"], sorted((c - Counter("a")).items()), sorted(c.elements()), c.total()]
