# kind: a module is changed | must: value ["refused", "refused", "refused", "refused", "refused", "refused", "refused"]
import json
got = []
for f in (lambda: setattr(json, "dumps", 1), lambda: delattr(json, "dumps"), lambda: getattr(json, "_members"), lambda: vars(json), lambda: type(json)("x", {}), lambda: json.__class__("x", {}), lambda: json.__dict__):
    try:
        f()
        got.append("ESCAPED")
    except (TypeError, AttributeError):
        got.append("refused")
return got
