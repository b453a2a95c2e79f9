# kind: slots with special names | must: error WorkflowRuntimeError TypeError
class A:
    __slots__ = ("__class__",)
return "ESCAPED"
