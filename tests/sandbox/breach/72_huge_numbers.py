# kind: language layer assumed broken: protocol: numbers that no field can hold | must: run ends with a protocol error; host alive
rpc.write({"type": "calls", "requests": [], "withdrawn": [], "deadlines": [{"deadline": 1, "seconds": 10**400}]})
rpc.write({"type": "finished", "value": 1, "steps": 10**400})
