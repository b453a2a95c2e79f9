# kind: dataclass whose fields are special | must: value [1, 5]
from dataclasses import dataclass, field
@dataclass
class D:
    a: "__import__('os').getcwd()" = 1
    b: "dataclasses.InitVar" = 2
return [D().a, D(5).a]
