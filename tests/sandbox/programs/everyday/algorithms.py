import heapq
from bisect import bisect_left, insort
from collections import deque
graph = {"a": {"b": 1, "c": 4}, "b": {"c": 2, "d": 5}, "c": {"d": 1}, "d": {}}
def dijkstra(src):
    dist = {n: float("inf") for n in graph}
    dist[src] = 0
    heap = [(0, src)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for v, w in graph[u].items():
            if d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(heap, (dist[v], v))
    return dist
def bfs(s):
    seen, q, order = {s}, deque([s]), []
    while q:
        u = q.popleft()
        order.append(u)
        for v in graph[u]:
            if v not in seen:
                seen.add(v)
                q.append(v)
    return order
def sieve(n):
    p = [True] * (n + 1)
    p[0:2] = [False, False]
    for i in range(2, int(n ** 0.5) + 1):
        if p[i]:
            p[i * i::i] = [False] * len(p[i * i::i])
    return [i for i, v in enumerate(p) if v]
def lcs(a, b):
    t = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            t[i + 1][j + 1] = t[i][j] + 1 if x == y else max(t[i][j + 1], t[i + 1][j])
    return t[-1][-1]
xs = [1, 3, 5]
insort(xs, 4)
m = [[1, 2], [3, 4]]
m[0][1] *= 10
grid = [["."] * 3 for _ in range(2)]
grid[1][2] = "#"
xs[1:3] = [9, 9, 9]
del xs[0]
result = [dijkstra("a"), bfs("a"), sieve(30), lcs("AGGTAB", "GXTXAYB"), xs, bisect_left([1, 3, 5], 3), heapq.nlargest(2, [5, 1, 9]), ["".join(r) for r in grid], m, heapq.nsmallest(1, [("b", 2), ("a", 3)], key=lambda t: t[1])]
