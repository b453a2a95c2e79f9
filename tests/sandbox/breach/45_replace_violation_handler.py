# kind: language layer assumed broken: take the handler of refused calls away | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import ctypes
r = ctypes.CDLL(None).signal(31, ctypes.c_void_p(1))
result = "BREACH handler"
