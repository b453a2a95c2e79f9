out = []
for i in range(10):
    if i == 2:
        continue
    if i == 5:
        break
    out.append(i)
else:
    out.append("never")
for x in []:
    pass
else:
    out.append("else")
n = 27
steps = 0
while n != 1:
    n = n // 2 if n % 2 == 0 else 3 * n + 1
    steps += 1
else:
    out.append("while else")
for i, (a, b) in enumerate({"x": 1, "y": 2}.items()):
    out.append(f"{i}{a}{b}")
for ch, num in zip("abc", [1, 2]):
    out.append(ch * num)
i = 0
while True:
    i += 1
    if i > 3: break
for _ in range(2):
    out.append(_)
it = iter([1, 2, 3])
for v in it:
    out.append((v, next(it, None)))
for a, *b in [(1, 2, 3), (4,)]:
    out.append((a, b))
for d in [{"k": 1}]:
    d["k"] += 1
    out.append(d)
result = [out, steps, i]
