from abc import ABC, abstractmethod
class Shape(ABC):
    def __init__(self, name): self.name = name
    @abstractmethod
    def area(self): ...
    @property
    @abstractmethod
    def sides(self): ...
    def describe(self): return f"{self.name}: {self.area():.1f}"
class Mixin:
    def describe(self): return "mixed " + super().describe()
class Square(Mixin, Shape):
    def __init__(self, a):
        super().__init__("square")
        self.a = a
    def area(self): return self.a ** 2
    @property
    def sides(self): return 4
try:
    Shape("x")
    err = None
except TypeError:
    err = "abstract"
class A:
    def who(self): return ["A"]
class B(A):
    def who(self): return ["B"] + super().who()
class C(A):
    def who(self): return ["C"] + super().who()
class D(B, C):
    def who(self): return ["D"] + super().who()
class Loud(Square):
    def _hidden(self): return "h"
    def area(self): return super().area() + 1
class Louder(Loud):
    def _hidden(self): return super()._hidden() + "H"
result = [Square(2).describe(), Square(1).sides, err, D().who(), Louder(3).area(), Louder(1)._hidden(), isinstance(D(), C)]
