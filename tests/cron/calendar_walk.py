"""A cron schedule as slowly and as plainly as it can be told (controller/RULES.md 8.1 and 8.2): each field
a set of numbers, and slots found by walking through the calendar. Shares nothing with the controller."""
import datetime
import re

FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day of month", 1, 31), ("month", 1, 12), ("day of week", 0, 7))
MINUTE = datetime.timedelta(minutes=1)
DAY = datetime.timedelta(days=1)
CYCLE_DAYS = 146097  # after which the calendar repeats
QUOTED_MAX = 256     # bytes of a value that a message shows


class Fault(Exception):
    """What the controller logs, and where in the text (in bytes) the fault is."""

    def __init__(self, text, offset):
        super().__init__(text)
        self.offset = offset


def quoted(value):
    raw = value.encode()
    if len(raw) > QUOTED_MAX:
        return raw[:QUOTED_MAX].decode(errors="ignore") + "..."
    return value


class Field:
    """The set of a field, or its first fault."""

    def __init__(self, index, text, offset):
        self.name, self.min, self.max = FIELDS[index]
        self.text, self.offset = text, offset
        self.restricted = not text.startswith("*")
        self.values = set()
        at = 0
        for item in text.split(","):
            self.values.update(self.item(item, at))
            at += len(item) + 1

    def fault(self, at, detail):
        where = self.offset + len(self.text[:at].encode())
        return Fault(f'cron {self.name} "{quoted(self.text)}": {detail}', where)

    def number(self, token, at):
        if not re.fullmatch("[0-9]+", token):
            raise self.fault(at + len(re.match("[0-9]*", token)[0]), "not a number")
        return int(token)

    def value(self, token, at):
        number = self.number(token, at)
        if not self.min <= number <= self.max:
            raise self.fault(at, f"out of range {self.min}-{self.max}")
        return number

    def item(self, item, at):
        if item == "":
            raise self.fault(at, "empty item")
        head, slash, step = item.partition("/")
        low, dash, high = head.partition("-")
        if low.startswith("*"):
            if head != "*":
                raise self.fault(at + 1, "not a number")
            first, last = self.min, self.max
        else:
            first = self.value(low, at)
            last = self.max if slash else first
        if dash:
            last = self.value(high, at + len(low) + 1)
            if first > last:
                raise self.fault(at, "range is reversed")
        by = 1
        if slash:
            by = self.number(step, at + len(head) + 1)
            if by < 1:
                raise self.fault(at + len(head) + 1, "step must be at least 1")
        return range(first, last + 1, by)


class Schedule:
    def __init__(self, text):
        places = [(found[0], found.start()) for found in re.finditer("[^ ]+", text)]
        if text.startswith(" "):
            places.insert(0, ("", 0))
        if text.endswith(" "):
            places.append(("", len(text)))
        if len(places) != 5:
            where = places[5][1] if len(places) > 5 else len(text)
            raise Fault(f'cron "{quoted(text)}": expected 5 fields, got {len(places)}',
                        len(text[:where].encode()))
        fields = [Field(i, word, len(text[:at].encode())) for i, (word, at) in enumerate(places)]
        self.minutes, self.hours, self.days, self.months = (field.values for field in fields[:4])
        self.weekdays = {day % 7 for day in fields[4].values}
        self.either = fields[2].restricted and fields[4].restricted
        if not any(self.has_day(datetime.date(1600, 1, 1) + DAY * n) for n in range(CYCLE_DAYS)):
            raise Fault("cron schedule never fires", fields[2].offset)

    def has_day(self, day):
        if day.month not in self.months:
            return False
        by_date, by_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return by_date or by_week if self.either else by_date and by_week

    def has(self, at):
        return at.minute in self.minutes and at.hour in self.hours and self.has_day(at.date())

    def next(self, after):
        """Minute by minute through days that are in the schedule; None behind the year 9999."""
        try:
            at = after.replace(second=0, microsecond=0) + MINUTE
            while not self.has_day(at.date()):
                at = at.replace(hour=0, minute=0) + DAY
            while not self.has(at):
                at += MINUTE
                while at.hour == at.minute == 0 and not self.has_day(at.date()):
                    at += DAY
            return at
        except OverflowError:
            return None

    def latest(self, at):
        """Likewise backwards; None before the year 1."""
        try:
            at = at.replace(second=0, microsecond=0)
            while not self.has_day(at.date()):
                at = at.replace(hour=23, minute=59) - DAY
            while not self.has(at):
                at -= MINUTE
                while (at.hour, at.minute) == (23, 59) and not self.has_day(at.date()):
                    at -= DAY
            return at
        except OverflowError:
            return None


def instant(text):
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")


def written(at):
    return "none" if at is None else at.isoformat() + "Z"
