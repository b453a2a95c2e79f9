# kind: language layer assumed broken: pass a descriptor through the socket | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import ctypes
r = ctypes.CDLL(None).sendmsg(fd, ctypes.create_string_buffer(64), 0)
result = "BREACH sendmsg " + str(r)
