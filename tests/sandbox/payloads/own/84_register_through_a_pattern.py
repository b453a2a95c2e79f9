# kind: register through a pattern | must: error WorkflowRuntimeError AttributeError
import collections
class Catch:
    def __eq__(self, other):
        self.got = other
        return False
c = Catch()
match c:
    case collections.ChainMap.register:
        pass
c.got(object)
asyncio = 1
collections.Counter.update = 5
return "ESCAPED"
