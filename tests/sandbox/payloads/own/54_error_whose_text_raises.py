# kind: error whose text raises | must: error WorkflowRuntimeError E
class E(Exception):
    def __str__(self): raise ValueError("no text")
    __repr__ = __str__
raise E
