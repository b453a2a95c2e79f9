# kind: value pattern hands out a raw method | must: error WorkflowRuntimeError ValueError
class Catch:
    def __eq__(self, other):
        self.got = other
        return False
c = Catch()
match c:
    case str.format:
        pass
return "ESCAPED " + c.got("{0.__globals__}", ask)
