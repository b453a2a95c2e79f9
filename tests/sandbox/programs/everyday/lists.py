xs = [5, 3, 8]
xs.append(1)
xs.extend([2, 2])
xs.insert(0, 7)
xs.remove(2)
p = xs.pop()
q = xs.pop(0)
ys = xs[:]
ys.reverse()
zs = [0] * 3
zs += [1]
zs *= 2
alias = zs
alias *= 1
matrix = [list(range(i, i + 3)) for i in range(0, 9, 3)]
t = (1,)
t += (2, 3)
chunks = [xs[i:i + 2] for i in range(0, len(xs), 2)]
xs2 = list(map(lambda v: v ** 2, filter(lambda v: v > 2, xs)))
result = [xs, p, q, ys, zs, alias is zs, matrix, t, chunks, xs2, xs.index(8), xs.count(3), xs[-1], xs[::2], sorted(xs), sum(xs), [None] * 2, list("ab"), [1, 2] < [1, 3], [1] + [2], 3 in xs, tuple(xs), list(range(10, 0, -3)), len([]), [a for a, *_ in [(1, 2), (3, 4)]], xs.copy() == xs, list(enumerate(xs))[0], list(zip([1, 2], "ab")), [[]] * 2, min(xs), all([]), any([])]
