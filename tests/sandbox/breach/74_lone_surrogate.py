# kind: language layer assumed broken: protocol: text that cannot be encoded | must: run ends with a protocol error; host alive
import os, struct
b = b'{"type":"printed","text":"\\ud800"}'
os.write(fd, struct.pack(">I", len(b)) + b)
while True:
    pass
