# kind: class pattern on a bound method of text | must: error PolicyViolation
match "{0.__class__}":
    case str(format=f):
        return "ESCAPED " + f(1)
