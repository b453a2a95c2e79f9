# kind: language layer assumed broken: protocol: a deadline that is no number of seconds | must: run ends with a protocol error; host alive
rpc.write({"type": "calls", "requests": [], "withdrawn": [], "deadlines": [{"deadline": 1, "seconds": True}, {"deadline": "x"}]})
while True:
    pass
