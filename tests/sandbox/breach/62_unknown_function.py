# kind: language layer assumed broken: call a function that the contract does not have | must: run ends with a protocol error; host alive
request = {"call": 1, "function": "delete", "arguments": {}, "branch": "0", "line": 1, "sources": []}
rpc.write({"type": "calls", "requests": [request], "withdrawn": [], "deadlines": []})
result = "BREACH the call was taken"
