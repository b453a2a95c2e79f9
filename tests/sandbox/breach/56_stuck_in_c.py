# kind: language layer assumed broken: one call of C that never ends | must: limit: cpu
import re
re.match("(a*)*b", "a" * 64)
