# kind: language layer assumed broken: become dumpable again | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import ctypes
r = ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
result = "BREACH prctl " + str(r)
