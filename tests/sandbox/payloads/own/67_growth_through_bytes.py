# kind: growth through bytes | must: error LimitExceeded
b = b"x" * (32 * 2 ** 20)
c = b + b + b + b + b + b + b + b + b
return len(c)
