"""The beginning of a script that runs programs where new imports and files are refused, as behind the walls."""

WALLED = """
import builtins, sys
import sandbox.zygote
from sandbox import Setting
from sandbox.inside.calls import Wire
from sandbox.inside.runtime import Runtime
from sandbox.work import Work

real_import = builtins.__import__
def no_new_import(name, globals=None, locals=None, names=(), level=0):
    full = name if not level else f"{(globals or {}).get('__package__')}.{name}"
    if full not in sys.modules:
        raise ImportError(f"lazy import of {full}")
    return real_import(name, globals, locals, names, level)
def no_open(*args, **kwargs):
    raise PermissionError(f"open{args}")
def refuse(event, args):
    if event in ("open", "import", "subprocess.Popen", "socket.__new__"):
        raise PermissionError(f"{event}{args}")
def raise_walls():
    sys.addaudithook(refuse)
    builtins.__import__ = no_new_import
    builtins.open = no_open
def last_frame(program):
    sent = []
    runtime = Runtime()
    runtime.begin(Work(program, setting=Setting(7, 1_000_000.0)), Wire(sent.append, dict))
    runtime.run()
    return sent[-1]
"""
