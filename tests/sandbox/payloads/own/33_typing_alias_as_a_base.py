# kind: typing alias as a base | must: error WorkflowRuntimeError TypeError
import typing
class A(typing.List[int]):
    pass
return "ESCAPED"
