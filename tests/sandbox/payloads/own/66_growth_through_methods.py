# kind: growth through methods | must: error LimitExceeded
try:
    n = len("x".ljust(10 ** 10))
    return "ESCAPED"
except MemoryError:
    pass
