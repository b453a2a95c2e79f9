# kind: language layer assumed broken: protocol: an error of the operator, forged | must: run ends with a protocol error; host alive
rpc.write({"type": "failed", "error": {"kind": "SandboxCrash"}, "steps": 0})
