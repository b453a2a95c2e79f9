# kind: language layer assumed broken: protocol: a source whose path holds objects | must: run ends with a protocol error; host alive
rpc.write({"type": "calls", "requests": [{"call": 1, "function": "ask", "arguments": {}, "branch": "0", "line": None, "sources": [{"argument": "x", "path": [{}, 1.5, None], "call": 1}]}], "withdrawn": [], "deadlines": []})
while True:
    pass
