# kind: language layer assumed broken: forge the record of a refused call | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import os, struct
os.write(4, struct.pack("<iiiiQiI", 31, 0, 1, 0, 0, 2**31 - 1, 0))
os.fork()
result = "BREACH"
