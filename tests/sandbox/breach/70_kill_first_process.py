# kind: language layer assumed broken: kill process 1 of the namespace, which is the zygote | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import os
os.kill(1, 9)
result = "BREACH kill"
