# kind: language layer assumed broken: claim to be over the processor limit | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import os, signal
os.write(4, b'File "<workflow>", line 1 in <module>\n')
signal.signal(signal.SIGPROF, signal.SIG_DFL)
result = "BREACH"
