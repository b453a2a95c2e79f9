"""`datetime` and `time`: the clock is the run's start plus the virtual time that has passed."""

from __future__ import annotations

import _strptime  # noqa: F401 - datetime imports it lazily, which a walled child cannot
import datetime
import time

from sandbox.inside.facades.facade import Facade
from sandbox.inside.facades.runtime import Runtime


def datetime_facade(runtime: Runtime) -> Facade:
    """`datetime`, whose now and today are the run's."""

    class RunDateTime(datetime.datetime):
        """A datetime whose present is the run's."""

        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> RunDateTime:
            moment = cls.fromtimestamp(runtime.now(), datetime.UTC)
            return moment.astimezone(tz) if tz is not None else moment.replace(tzinfo=None)

        @classmethod
        def utcnow(cls) -> RunDateTime:
            return cls.now()

        @classmethod
        def today(cls) -> RunDateTime:
            return cls.now()

    class RunDate(datetime.date):
        """A date whose today is the run's."""

        @classmethod
        def today(cls) -> RunDate:
            moment = datetime.datetime.fromtimestamp(runtime.now(), datetime.UTC)
            return cls(moment.year, moment.month, moment.day)

    RunDateTime.__name__, RunDate.__name__ = "datetime", "date"
    members = {
        "datetime": RunDateTime, "date": RunDate, "time": datetime.time, "timedelta": datetime.timedelta,
        "timezone": datetime.timezone, "UTC": datetime.UTC,
    }  # fmt: skip
    return Facade("datetime", members)


def time_facade(runtime: Runtime) -> Facade:
    """`time`: every clock is the run's, and sleeping lets virtual time pass."""

    def strftime(form: str, moment: time.struct_time | None = None) -> str:
        return time.strftime(form, moment or time.gmtime(runtime.now()))

    clocks: dict[str, object] = dict.fromkeys(("time", "monotonic", "perf_counter", "process_time"), runtime.now)
    return Facade("time", {**clocks, "sleep": runtime.sleep, "strftime": strftime})
