# kind: language layer assumed broken: fill the pipe for dumps, so that the limit cannot be told | must: limit: wall
import os
while True:
    os.write(4, b"x" * 65536)
