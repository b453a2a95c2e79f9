people = [{"name": "Bob", "age": 30}, {"name": "alice", "age": 25}, {"name": "Carl", "age": 30}]
from operator import itemgetter, attrgetter
by = sorted(people, key=lambda p: (-p["age"], p["name"].lower()))
xs = [3, 1, 2]
xs.sort(reverse=True)
words = ["bb", "a", "ccc"]
scores = {"x": 1, "y": 3, "z": 2}
best = max(scores, key=scores.get)
result = [[p["name"] for p in by], xs, sorted(words, key=len), [k for k, _ in sorted(scores.items(), key=lambda kv: kv[1], reverse=True)], best, sorted(people, key=itemgetter("age"))[0]["name"], min(people, key=lambda p: p["age"])["name"], sorted("bA", key=str.lower), sorted([(1, "b"), (1, "a")]), list(reversed(xs)), sorted([True, False]), max([[1, 2], [1, 3]]), sorted({3, 1}), sorted(words, key=lambda w: (len(w), w))[::-1], sum(v for v in scores.values()), sorted(scores, key=lambda k: scores[k])]
