# kind: multiplication in place | must: error LimitExceeded
xs = [1]
xs *= 10 ** 9
return len(xs)
