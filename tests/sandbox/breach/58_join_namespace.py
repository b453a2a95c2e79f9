# kind: language layer assumed broken: join a namespace | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import ctypes
r = ctypes.CDLL(None).setns(3, 0)
result = ("BREACH " if r == 0 else "contained ") + str(r)
