# kind: language layer assumed broken: read the memory of another process | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import ctypes
r = ctypes.CDLL(None).process_vm_readv(1, None, 0, None, 0, 0)
result = ("BREACH " if r >= 0 else "contained ") + str(r)
