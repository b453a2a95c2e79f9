# kind: language layer assumed broken: add a filter | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import ctypes
r = ctypes.CDLL(None).syscall(317, 1, 0, ctypes.create_string_buffer(16))
result = "BREACH seccomp answered " + str(r)
