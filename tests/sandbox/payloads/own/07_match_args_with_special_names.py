# kind: match_args with special names | must: error WorkflowRuntimeError TypeError
class E(Exception):
    __match_args__ = ("__traceback__",)
try:
    raise E
except E as e:
    match e:
        case E(tb):
            return "ESCAPED " + str(tb)
