# kind: language layer assumed broken: protocol: endless deadlines | must: run ends with a protocol error; host alive
deadlines = [{"deadline": number, "seconds": 1e308} for number in range(1000)]
while True:
    rpc.write({"type": "calls", "requests": [], "withdrawn": [], "deadlines": deadlines})
