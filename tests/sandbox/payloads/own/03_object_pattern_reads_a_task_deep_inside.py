# kind: object pattern reads a task deep inside | must: error WorkflowRuntimeError TypeError
from concurrent.futures import ThreadPoolExecutor
t = ThreadPoolExecutor().submit(lambda: ask("solver", "q"))
match [[t]]:
    case [[object(branch=b)]]:
        return "ESCAPED " + str(b)
