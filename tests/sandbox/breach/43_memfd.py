# kind: language layer assumed broken: anonymous file to execute from | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import os
os.memfd_create("x")
result = "BREACH memfd"
