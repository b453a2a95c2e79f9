# kind: language layer assumed broken: read the environment | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import os
left = set(os.environ) - {"PYTHONHASHSEED", "TZ", "LC_CTYPE"}
result = f"BREACH {left}" if left else "contained"
