import copy
class Node:
    def __init__(self, v): self.v, self.kids = v, []
n = Node([1])
n.kids.append(Node(2))
deep = copy.deepcopy(n)
shallow = copy.copy(n)
deep.v.append(9)
deep.kids[0].v = 5
data = {"a": [1, {"b": 2}]}
c = copy.deepcopy(data)
c["a"][1]["b"] = 7
result = [n.v, deep.v, n.kids[0].v, deep.kids[0].v, shallow.v is n.v, data, c, copy.copy([1, [2]])[1], type(deep) is Node]
