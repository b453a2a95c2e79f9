# kind: attribute name from a reply | must: value ["refused", "refused", "refused"]
name = ask("solver", "q")
fake = "__glo" + "bals__"
got = []
for n in (fake, fake[:], "".join(list(fake))):
    try:
        got.append("ESCAPED " + str(getattr(ask, n)))
    except AttributeError:
        got.append("refused")
return got
