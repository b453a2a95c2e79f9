# kind: language layer assumed broken: overflow the stack in C | must: an error or a crash of the child; host alive
import sys
sys.setrecursionlimit(10**9)
def f():
    f()
f()
