"""`datetime` and `time`: the clock is the run's start plus the virtual time that has passed; local time is UTC.

The two classes that can ask for the present are derived, and everything that a program can get from them is of the
derived classes too (`.date()`, `.min`, `.max`): on an object of the real ones, `today()` would read the machine's clock.
They count real dates and datetimes as their own, wherever one comes from.
"""

from __future__ import annotations

import _strptime  # noqa: F401 - datetime imports it lazily, which a walled child cannot
import calendar
import datetime
import math
import time

from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.runtime import Runtime

MAX_SLEEP = 10.0**10
_DATETIME = "time timedelta timezone tzinfo UTC MINYEAR MAXYEAR"


class _StandsFor(type):
    """The metaclass of a derived class that counts its parent's objects as its own."""

    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, cls.__mro__[1])

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, cls.__mro__[1])


def datetime_facade(runtime: Runtime) -> Facade:
    """`datetime`, whose now and today are the run's."""
    members: dict[str, object] = {name: getattr(datetime, name) for name in _DATETIME.split()}
    run_date = _date_class(runtime)
    return Facade("datetime", {**members, "datetime": _datetime_class(runtime, run_date), "date": run_date})


def _datetime_class(runtime: Runtime, run_date: type[datetime.date]) -> type[datetime.datetime]:
    class RunDateTime(datetime.datetime, metaclass=_StandsFor):
        """A datetime whose present is the run's and whose local time is UTC."""

        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> RunDateTime:
            return cls.fromtimestamp(runtime.now(), tz)

        @classmethod
        def utcnow(cls) -> RunDateTime:
            return cls.now()

        @classmethod
        def today(cls) -> RunDateTime:
            return cls.now()

        @classmethod
        def fromtimestamp(cls, timestamp: float, tz: datetime.tzinfo | None = None) -> RunDateTime:
            moment = super().fromtimestamp(timestamp, datetime.UTC)
            return moment.replace(tzinfo=None) if tz is None else moment.astimezone(tz)

        @classmethod
        def utcfromtimestamp(cls, timestamp: float) -> RunDateTime:
            return cls.fromtimestamp(timestamp)

        def date(self) -> datetime.date:
            return run_date(self.year, self.month, self.day)

        def timestamp(self) -> float:
            return datetime.datetime.timestamp(self if self.tzinfo else self.replace(tzinfo=datetime.UTC))

        def astimezone(self, tz: datetime.tzinfo | None = None) -> RunDateTime:
            moment = self if self.tzinfo else self.replace(tzinfo=datetime.UTC)
            return super(RunDateTime, moment).astimezone(tz or datetime.UTC)

        def __repr__(self) -> str:
            return f"datetime.{super().__repr__()}"

    RunDateTime.__name__ = RunDateTime.__qualname__ = "datetime"
    real = datetime.datetime
    for name, moment in (("min", real.min), ("max", real.max)):
        setattr(RunDateTime, name, RunDateTime.combine(moment, moment.time()))
    return RunDateTime


def _date_class(runtime: Runtime) -> type[datetime.date]:
    class RunDate(datetime.date, metaclass=_StandsFor):
        """A date whose today is the run's."""

        @classmethod
        def today(cls) -> RunDate:
            return cls.fromtimestamp(runtime.now())

        @classmethod
        def fromtimestamp(cls, timestamp: float) -> RunDate:
            moment = datetime.datetime.fromtimestamp(timestamp, datetime.UTC)
            return cls(moment.year, moment.month, moment.day)

        def __repr__(self) -> str:
            return f"datetime.{super().__repr__()}"

    RunDate.__name__ = RunDate.__qualname__ = "date"
    for name, day in (("min", datetime.date.min), ("max", datetime.date.max)):
        setattr(RunDate, name, RunDate.fromordinal(day.toordinal()))
    return RunDate


def time_facade(runtime: Runtime) -> Facade:
    """`time`: every clock is the run's, and sleeping lets virtual time pass."""

    def gmtime(secs: float | None = None) -> time.struct_time:
        return time.gmtime(runtime.now() if secs is None else secs)

    def strftime(form: str, moment: time.struct_time | None = None) -> str:
        return time.strftime(form, moment or gmtime())

    def asctime(moment: time.struct_time | None = None) -> str:
        return time.asctime(moment or gmtime())

    def ctime(secs: float | None = None) -> str:
        return time.asctime(gmtime(secs))

    def sleep(secs: float) -> None:
        if not math.isfinite(secs) or not 0 <= secs <= MAX_SLEEP:
            raise ValueError(f"cannot sleep for {secs!r} seconds")
        runtime.sleep(secs)

    clocks: dict[str, object] = dict.fromkeys(("time", "monotonic", "perf_counter", "process_time"), runtime.now)
    exact = dict.fromkeys(("time_ns", "monotonic_ns", "perf_counter_ns"), lambda: int(runtime.now() * 1e9))
    calendars = {"gmtime": gmtime, "localtime": gmtime, "mktime": lambda moment: float(calendar.timegm(moment))}
    texts = {"strftime": strftime, "strptime": time.strptime, "asctime": asctime, "ctime": ctime}
    return Facade("time", {**clocks, **exact, **calendars, **texts, "sleep": sleep})
