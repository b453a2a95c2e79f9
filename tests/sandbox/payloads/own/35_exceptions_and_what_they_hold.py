# kind: exceptions and what they hold | must: value ["E"]
class E(AttributeError):
    pass
got = []
try:
    ask.nothing
except AttributeError as e:
    for name in ("obj", "__traceback__", "__suppress_context__", "__reduce__", "__setstate__"):
        try:
            getattr(e, name)
            got.append("ESCAPED " + name)
        except AttributeError:
            pass
try:
    raise E
except E as e:
    for name in ("__traceback__", "__reduce__", "__getattribute__"):
        try:
            getattr(e, name)
            got.append("ESCAPED " + name)
        except AttributeError:
            pass
    e.add_note("n")
    if "obj" in dir(e) and e.obj is not None:
        got.append("ESCAPED obj")
try:
    raise ValueError from E()
except ValueError as e:
    got.append(type(e.__cause__).__name__)
return got
