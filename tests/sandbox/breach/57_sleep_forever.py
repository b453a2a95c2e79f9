# kind: language layer assumed broken: wait in silence | must: limit: wall
import os
os.read(fd, 1)
