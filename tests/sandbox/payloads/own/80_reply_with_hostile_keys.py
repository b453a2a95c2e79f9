# kind: reply with hostile keys | must: value ["solver: q", 1, "solver: q", "solver: q", "solver: q", true, true, 7]
r = ask("solver", "q", returns={"format": str, "items": int, "call": str})
got = [r.format, r.items, r.call, r["format"], getattr(r, "format"), hasattr(r, "keys"), r.keys() is not None]
try:
    setattr(r, "__class__", 5)
except TypeError as e:
    got.append("refused")
try:
    r.call = 7
    got.append(r.call)
except Exception as e:
    got.append(type(e).__name__)
return got
