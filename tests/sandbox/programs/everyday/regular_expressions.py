import re
text = "Call 555-1234 or 555-9876; mail: a@b.co, c@d.org. Score: 87% and 12.5%"
pat = re.compile(r"(?P<user>\w+)@(?P<host>[\w.]+\w)")
m = pat.search(text)
def double(match):
    return str(int(match.group(1)) * 2)
result = [re.findall(r"\d{3}-\d{4}", text), m.group("user"), m["host"], m.groupdict(), m.span(), [x.group(0) for x in pat.finditer(text)], re.sub(r"(\d+)%", double, "50%"), re.split(r"[;,.]\s*", "a; b, c. d"), bool(re.match(r"^\d+$", "123")),
    re.sub(r"\s+", " ", "a   b\n c"), re.fullmatch(r"[a-z]+", "abc").group(), re.findall(r"(\w)(\d)", "a1 b2"), re.search(r"answer:\s*(.+)", "The Answer: 42", re.IGNORECASE).group(1), re.escape("a.b"), re.sub("(a)(b)", r"\2\1", "abab"), pat.pattern, float(re.findall(r"(\d+(?:\.\d+)?)%", text)[-1]), re.search("zzz", text) is None]
