from enum import Enum, IntEnum, auto, Flag, StrEnum, unique
@unique
class Color(Enum):
    RED = 1
    GREEN = auto()
    def lower(self):
        return self.name.lower()
    @classmethod
    def default(cls):
        return cls.RED
class Level(IntEnum):
    LOW = 1
    HIGH = 3
class Perm(Flag):
    R = auto()
    W = auto()
class S(StrEnum):
    YES = "yes"
    NO = auto()
try:
    Color("x")
    bad = None
except ValueError as e:
    bad = str(e)
result = [Color.RED.name, Color(2).value, Color["GREEN"].lower(), [c.value for c in Color], Level.HIGH > Level.LOW, Level.HIGH + 1, repr(Color.RED), str(Color.RED),
    f"{Level.LOW}", S.NO, f"{S.YES}!", (Perm.R | Perm.W).value, Perm.R in (Perm.R | Perm.W), bad, len(Color), Color.default() is Color.RED, list(Color.__members__), isinstance(Level.LOW, Enum)]
