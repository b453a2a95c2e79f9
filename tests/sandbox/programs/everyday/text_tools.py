import textwrap, string
t = string.Template("Dear $name, you owe $$${amount}")
long = "The quick brown fox jumps over the lazy dog"
result = [textwrap.wrap(long, 16), textwrap.fill(long, 20), textwrap.dedent("   a\n     b"), textwrap.shorten(long, 20), textwrap.indent("a\nb", "> "), t.substitute(name="Bo", amount=5), string.ascii_lowercase[:3], string.punctuation[:3], string.capwords("a b"), "\N{BULLET} \u00e9 \x41", r"\d", "a" "b", '''multi
line''']
