# kind: language layer assumed broken: make memory executable later | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import ctypes, mmap
m = mmap.mmap(-1, 4096)
libc = ctypes.CDLL(None)
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
address = ctypes.addressof(ctypes.c_char.from_buffer(m))
r = libc.mprotect(address, 4096, 5)
result = ("BREACH " if r == 0 else "contained ") + str(r)
