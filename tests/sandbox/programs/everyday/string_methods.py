s = "  Hello, World! hello  "
t = s.strip()
result = [t.lower().split(", "), t.replace("l", "L", 2), t.startswith(("He", "x")), t.find("World"), t.count("l"), t.partition(", "), t.rpartition(" "), t.title(), t.swapcase(), "a-b_c".translate(str.maketrans("-_", "  ")), "abc".zfill(5), "x,y,,z".split(","),
    "a\tb".expandtabs(4), "line1\nline2".splitlines(), t.casefold(), "abc"[::-1], "abcdef"[1:-1:2], "-".join(map(str, range(3))), "ab" * 2, "é".encode("utf-8"), b"hi".decode(), "abc".isalpha(), "12".isdigit(), ord("a"), chr(98), "a" < "b", t.removeprefix("Hello"), t.removesuffix("o"), "%".join("ab"), "x".center(5, "."), "b" in "abc", sorted("hello"), "hello".index("l"), max("abc"), "Aa".isupper(), " ".join(reversed("a b c".split()))][:50]
result = [r if not isinstance(r, bytes) else list(r) for r in result]
