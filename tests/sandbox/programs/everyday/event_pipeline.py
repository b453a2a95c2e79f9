from collections import defaultdict, namedtuple
from typing import Iterable, Iterator
Event = namedtuple("Event", "kind payload")
class Bus:
    def __init__(self):
        self._subs = defaultdict(list)
        self.log: list[str] = []
    def subscribe(self, kind):
        def deco(fn):
            self._subs[kind].append(fn)
            return fn
        return deco
    def publish(self, event: Event) -> int:
        for fn in self._subs[event.kind]:
            self.log.append(f"{fn.__name__}({event.payload})")
            fn(event)
        return len(self._subs[event.kind])
bus = Bus()
totals = defaultdict(int)
@bus.subscribe("add")
def add(e): totals["n"] += e.payload
@bus.subscribe("add")
def audit(e):
    if e.payload > 5:
        bus.publish(Event("alert", e.payload))
@bus.subscribe("alert")
def alert(e): totals["alerts"] += 1
def numbers(xs: Iterable[str]) -> Iterator[int]:
    for x in xs:
        try:
            yield int(x)
        except ValueError:
            continue
for n in numbers(["1", "x", "7", "3"]):
    bus.publish(Event("add", n))
result = [dict(totals), bus.log]
