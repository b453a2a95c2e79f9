from enum import Enum, auto
from dataclasses import dataclass, field
from typing import Callable
class State(Enum):
    IDLE = auto()
    BUSY = auto()
    DONE = auto()
@dataclass
class Machine:
    state: State = State.IDLE
    history: list = field(default_factory=list)
    handlers: dict = field(default_factory=dict)
    def on(self, state: State) -> Callable:
        def deco(fn):
            self.handlers[state] = fn
            return fn
        return deco
    def step(self, event):
        old = self.state
        self.state = self.handlers.get(self.state, lambda m, e: m.state)(self, event)
        self.history.append((old.name, event, self.state.name))
        return self
m = Machine()
@m.on(State.IDLE)
def idle(m, e):
    return State.BUSY if e == "start" else m.state
@m.on(State.BUSY)
def busy(m, e):
    match e:
        case "finish": return State.DONE
        case "abort": return State.IDLE
        case _: return m.state
for e in ["x", "start", "tick", "finish", "start"]:
    m.step(e)
result = [m.history, m.state is State.DONE, State.DONE in m.handlers]
