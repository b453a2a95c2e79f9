from functools import lru_cache
def hanoi(n, a="A", b="B", c="C"):
    return [] if n == 0 else hanoi(n - 1, a, c, b) + [(a, c)] + hanoi(n - 1, b, a, c)
def flatten(x):
    return [z for y in x for z in flatten(y)] if isinstance(x, list) else [x]
def perms(s):
    return [s] if len(s) <= 1 else [c + p for i, c in enumerate(s) for p in perms(s[:i] + s[i + 1:])]
@lru_cache(None)
def edit(a, b):
    if not a or not b:
        return len(a) + len(b)
    return min(edit(a[1:], b) + 1, edit(a, b[1:]) + 1, edit(a[1:], b[1:]) + (a[0] != b[0]))
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)
def gcd(a, b): return a if b == 0 else gcd(b, a % b)
memo = {}
def collatz(n):
    if n in memo: return memo[n]
    memo[n] = 1 if n == 1 else 1 + collatz(n // 2 if n % 2 == 0 else 3 * n + 1)
    return memo[n]
result = [len(hanoi(5)), flatten([1, [2, [3, [4]]]]), perms("abc"), edit("kitten", "sitting"), depth(200), gcd(48, 36), collatz(27)]
