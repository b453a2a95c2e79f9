# kind: language layer assumed broken: attach to the zygote | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import ctypes
r = ctypes.CDLL(None).ptrace(16, 1, 0, 0)
result = ("BREACH ptrace " if r == 0 else "contained ") + str(r)
