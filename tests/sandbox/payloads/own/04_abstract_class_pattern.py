# kind: abstract class pattern | must: error WorkflowRuntimeError TypeError
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
t = ThreadPoolExecutor().submit(lambda: ask("solver", "q"))
match [[t]]:
    case [[Hashable(branch=b)]]:
        return "ESCAPED " + str(b)
