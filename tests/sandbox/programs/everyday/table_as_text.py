rows = [("name", "qty", "price"), ("apple", 3, 1.5), ("fig", 12, 0.25)]
widths = [max(len(str(r[i])) for r in rows) for i in range(3)]
lines = ["  ".join(str(c).ljust(w) if i == 0 else str(c).rjust(w) for i, (c, w) in enumerate(zip(r, widths))) for r in rows]
lines.insert(1, "-" * len(lines[0]))
total = sum(q * p for _, q, p in rows[1:])
report = "\n".join(lines) + f"\n{'total':<10}{total:>8.2f}"
md = "| " + " | ".join(map(str, rows[0])) + " |\n|" + "---|" * 3
csv = "\n".join(",".join(str(c) for c in r) for r in rows)
parsed = [dict(zip(csv.splitlines()[0].split(","), l.split(","))) for l in csv.splitlines()[1:]]
result = [report, md, parsed, [f"{i:>2}. {r[0]:<6}|" for i, r in enumerate(rows, 1)]]
