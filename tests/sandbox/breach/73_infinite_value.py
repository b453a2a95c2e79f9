# kind: language layer assumed broken: protocol: a number that becomes infinite | must: run ends with a protocol error; host alive
import os, struct
b = b'{"type":"finished","value":1e999,"steps":0}'
os.write(fd, struct.pack(">I", len(b)) + b)
