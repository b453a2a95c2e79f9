# kind: language layer assumed broken: block the limit signals | must: killed by seccomp (SIGSYS) or an error; result must not start with BREACH
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPROF, signal.SIGXCPU, signal.SIGUSR1])
result = "BREACH mask"
