# kind: language layer assumed broken: raise the memory limit by number | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import ctypes
resource = 9
limits = (ctypes.c_ulong * 2)(2**62, 2**62)
r = ctypes.CDLL(None).prlimit64(0, resource, limits, None)
result = ("BREACH " if r == 0 else "contained ") + str(r)
