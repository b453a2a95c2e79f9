# kind: names of attributes as lying text | must: value ["TypeError", "TypeError", "TypeError", "TypeError", "default"]
from enum import Enum
class K(str, Enum):
    A = "__globals__"
    def startswith(self, *a): return False
    def __eq__(self, o): return False
    def __hash__(self): return 5
got = []
for f in (lambda: getattr(ask, K.A), lambda: hasattr(ask, K.A), lambda: setattr(K, K.A, 1), lambda: delattr(K, K.A), lambda: getattr(ask, "__globals__", "default")):
    try:
        got.append(str(f()))
    except Exception as e:
        got.append(type(e).__name__)
return got
