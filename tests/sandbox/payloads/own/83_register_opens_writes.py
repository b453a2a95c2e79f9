# kind: register opens writes | must: error WorkflowRuntimeError AttributeError
import asyncio
from collections import ChainMap, Counter
ChainMap.register(object)
Counter.update = 5
return "ESCAPED"
