# kind: language layer assumed broken: call an agent that the contract does not have | must: run ends with a protocol error; host alive
rpc.write({"t": "call", "id": 0, "agent": "nobody", "prompt": "q", "line": 1})
result = "BREACH the call was taken"
