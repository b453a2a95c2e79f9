# kind: language layer assumed broken: protocol: a truth value for a number | must: run ends with a protocol error; host alive
rpc.write({"type": "calls", "requests": [{"call": True, "function": "ask", "arguments": {}, "branch": "0", "line": None, "sources": []}], "withdrawn": [], "deadlines": []})
while True:
    pass
