# kind: sorting with a key that grows the list | must: value "list modified during sort"
xs = [3, 1, 2]
def key(v):
    xs.append(v)
    return v
try:
    xs.sort(key=key)
except ValueError as e:
    return str(e)
