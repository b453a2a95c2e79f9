# kind: language layer assumed broken: protocol: calls with wrong types in our own words | must: run ends with a protocol error; host alive
rpc.write({"type": "calls", "requests": [{"call": True, "function": [], "arguments": 1}], "withdrawn": {}, "deadlines": 0})
while True:
    pass
