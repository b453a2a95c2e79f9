# kind: language layer assumed broken: memory in many pieces | must: MemoryError or killed
x = []
while True:
    x.append(bytearray(1 << 20))
