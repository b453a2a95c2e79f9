# kind: language layer assumed broken: listen on a port | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import ctypes
r = ctypes.CDLL(None).socket(2, 1, 0)
result = ("BREACH " if r >= 0 else "contained ") + str(r)
