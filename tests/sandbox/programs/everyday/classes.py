class Account:
    interest = 0.02
    _count = 0
    def __init__(self, owner, balance=0):
        self.owner = owner
        self._balance = balance
        self.__secret = "s"
        Account._count += 1
    @property
    def balance(self):
        return self._balance
    @balance.setter
    def balance(self, value):
        if value < 0:
            raise ValueError("negative")
        self._balance = value
    @classmethod
    def count(cls):
        return cls._count
    @staticmethod
    def valid(name):
        return bool(name)
    def reveal(self):
        return self.__secret
    def __repr__(self):
        return f"{self.__class__.__name__}({self.owner!r}, {self._balance})"
    def __eq__(self, other):
        return isinstance(other, Account) and self.owner == other.owner
    def __hash__(self):
        return hash(self.owner)
class Savings(Account):
    def __init__(self, owner, rate=None, **kw):
        super().__init__(owner, **kw)
        self.rate = rate or self.interest
    def grow(self):
        self.balance += self.balance * self.rate
        return self
a = Account("x", 5)
s = Savings("y", balance=100)
s.grow().grow()
a.balance = 7
try:
    a.balance = -1
except ValueError as e:
    err = e.args
del a.owner
result = [a.balance, round(s.balance, 2), Account.count(), Account.valid(""), a.reveal(), repr(s), err, hasattr(a, "owner"), getattr(a, "nope", "d"), isinstance(s, Account), issubclass(Savings, Account), type(s).__name__, s == Savings("y"), len({s, Savings("y")}), callable(s.grow), s.__class__ is Savings, vars(s)["owner"], len(s.__dict__), Savings.__name__, Savings.grow.__name__]
