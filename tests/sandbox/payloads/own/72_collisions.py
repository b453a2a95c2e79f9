# kind: collisions | must: error LimitExceeded
class H:
    def __init__(self, n): self.n = n
    def __hash__(self): return 1
    def __eq__(self, o): return self.n == o.n
d = {}
for i in range(20_000):
    d[H(i)] = i
return len(d)
