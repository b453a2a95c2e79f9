# kind: language layer assumed broken: use a descriptor that was left open | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import os
open_ones = []
for number in range(5, 400):
    try:
        os.read(number, 1)
        open_ones.append(number)
    except OSError as error:
        if error.errno != 9:
            open_ones.append(number)
result = f"BREACH {open_ones}" if open_ones else "contained"
