# kind: language layer assumed broken: end without a word | must: an error or a crash of the child; host alive
import os
os._exit(0)
