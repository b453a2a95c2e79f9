# kind: itemgetter and attrgetter | must: value ["refused", "refused", "refused", "refused", "refused", "refused"]
import operator
got = []
for n in ("__globals__", "__class__.__mro__", "__code__.co_code", "a.__globals__"):
    try:
        got.append("ESCAPED " + str(operator.attrgetter(n)(ask)))
    except AttributeError:
        got.append("refused")
try:
    got.append("ESCAPED " + operator.methodcaller("format_map", {"x": ask})("{x.__globals__}"))
except AttributeError:
    got.append("refused")
try:
    got.append("ESCAPED " + operator.methodcaller("format", ask)("{0.__globals__}"))
except ValueError:
    got.append("refused")
return got
