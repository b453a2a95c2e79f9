class AppError(Exception):
    def __init__(self, message, code=1, **details):
        super().__init__(message)
        self.code = code
        self.details = details
class NotFound(AppError):
    pass
log = []
def risky(n):
    try:
        if n == 0:
            raise NotFound("nope", code=404, key="k")
        if n == 1:
            return int("x")
        if n == 2:
            return {}["missing"]
        return n
    except ValueError as e:
        raise AppError("wrapped") from e
    except (KeyError, IndexError) as e:
        log.append(f"{type(e).__name__}: {e}")
        return "default"
    else:
        log.append("else")
    finally:
        log.append(f"finally {n}")
out = []
for i in range(4):
    try:
        out.append(risky(i))
    except NotFound as e:
        out.append([str(e), e.code, e.details, e.args])
    except AppError as e:
        out.append([str(e), type(e.__cause__).__name__, isinstance(e, Exception), repr(e)])
try:
    raise RuntimeError
except RuntimeError as e:
    out.append(repr(e))
try:
    try:
        1 / 0
    except ZeroDivisionError:
        raise
except ArithmeticError as e:
    out.append(str(e))
def tryelse():
    try:
        x = 1
    except Exception:
        return "no"
    else:
        return "else"
    finally:
        log.append("f")
out.append(tryelse())
try:
    assert 1 > 2, "assertion text"
except AssertionError as e:
    out.append(str(e))
try:
    [][5]
except LookupError as e:
    out.append(e.__class__.__name__)
try:
    None.x
except AttributeError as e:
    out.append(str(e))
try:
    undefined_name
except NameError as e:
    out.append(str(e))
try:
    raise ValueError("a", 2)
except ValueError as e:
    out.append(list(e.args))
result = [out, log]
