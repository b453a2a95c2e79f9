# kind: language layer assumed broken: protocol: endless printed text | must: run ends with a protocol error; host alive
while True:
    rpc.write({"type": "printed", "text": "x" * 100000})
