# kind: language layer assumed broken: start a thread | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import _thread
_thread.start_new_thread(print, ())
result = "BREACH thread"
