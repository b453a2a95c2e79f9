from datetime import datetime, timedelta, date, timezone
d = datetime(2024, 2, 28, 12, 30)
e = d + timedelta(days=2, hours=5)
diff = date(2024, 12, 25) - date(2024, 2, 28)
p = datetime.strptime("2024-03-01 08:15", "%Y-%m-%d %H:%M")
result = [e.isoformat(), (e - d).total_seconds(), diff.days, e.strftime("%d/%m/%Y %H:%M %A"), f"{e:%Y-%m-%d}", p > d, p.date().isoformat(), d.weekday(), date.fromisoformat("2024-01-02").year, d.replace(year=2020).isoformat(), str(timedelta(seconds=3661)),
    datetime(2024, 1, 1, tzinfo=timezone.utc).isoformat(), sorted([date(2024, 5, 1), date(2023, 5, 1)])[0].isoformat(), (date(2000, 1, 31) + timedelta(weeks=1)).day, d.date() == date(2024, 2, 28), datetime.combine(date(2020, 1, 1), d.time()).hour, repr(timedelta(1)), str(d), date(2024, 2, 29).timetuple().tm_yday, d.isocalendar()[1]]
