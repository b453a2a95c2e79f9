# kind: class pattern through a dotted name | must: error WorkflowRuntimeError TypeError
class Names:
    o = object
from concurrent.futures import ThreadPoolExecutor
t = ThreadPoolExecutor().submit(lambda: ask("solver", "q"))
match [[t]]:
    case [[Names.o(withdraw=w, branch=b)]]:
        return "ESCAPED " + str(b)
