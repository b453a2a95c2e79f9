# kind: language layer assumed broken: protocol: an error with wrong fields | must: run ends with a protocol error; host alive
rpc.write({"type": "failed", "error": {"kind": "LimitExceeded", "message": [], "line": "x", "value": {}}, "steps": 0})
