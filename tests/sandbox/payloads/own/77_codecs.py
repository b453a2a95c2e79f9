# kind: codecs | must: value ["LookupError", "LookupError", "LookupError", "LookupError", "b'x'", "UnicodeDecodeError", "b'\\xe9'"]
got = []
for f in (lambda: "x".encode("rot13"), lambda: b"x".decode("zip"), lambda: "x".encode("os"), lambda: "x".encode("../../os"), lambda: "x".encode("utf-8"), lambda: b"\xff".decode("utf-8"), lambda: "é".encode("latin-1")):
    try:
        got.append(str(f()))
    except Exception as e:
        got.append(type(e).__name__)
return got
