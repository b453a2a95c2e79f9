# kind: language layer assumed broken: change a file | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import os
os.chmod("/tmp", 0o777)
result = "BREACH chmod"
