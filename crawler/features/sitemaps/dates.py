"""Parses dates of sitemaps and feeds: W3C datetime and, in RSS, the date format of e-mail.

Parsing is lenient, since dates are often written by hand.
"""

from __future__ import annotations

import calendar
import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import mktime_tz, parsedate_tz
from typing import Final

_EARLIEST: Final = calendar.timegm((1990, 1, 1, 0, 0, 0))
"""Earlier dates are ignored: there was no web, and 0001-01-01 and 1970-01-01 mean that a program had no date."""
_MAX_CHARACTERS: Final = 64

_W3C: Final = re.compile(
    r"(?P<year>\d{4})(?:-?(?P<month>\d\d)(?:-?(?P<day>\d\d)"
    r"(?:[Tt ]\s*(?P<hour>\d\d):?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,]\d*)?)?"
    r"\s*(?P<zone>[Zz]|UTC|GMT|(?P<sign>[+\-−])\s*(?P<off_hours>\d\d?):?(?P<off_minutes>\d\d)?)?)?)?)?",
    re.ASCII,
)


def epoch_seconds(text: str) -> float | None:
    """Return a date in either format as whole epoch seconds; a date without a time zone is taken as UTC.

    Returns None for a text that is not a date, or for a date before 1990.
    """
    text = text.strip()
    if not text or len(text) > _MAX_CHARACTERS:
        return None
    found = _W3C.fullmatch(text)
    seconds = _w3c_seconds(found) if found else _mail_seconds(text)
    return None if seconds is None or seconds < _EARLIEST else seconds


def _w3c_seconds(found: re.Match[str]) -> float | None:
    year, month, day = int(found["year"]), int(found["month"] or 1), int(found["day"] or 1)
    hour, minute, second = int(found["hour"] or 0), int(found["minute"] or 0), int(found["second"] or 0)
    offset = timedelta(hours=int(found["off_hours"] or 0), minutes=int(found["off_minutes"] or 0))
    midnight = timedelta(days=1) if (hour, minute, second) == (24, 0, 0) else timedelta(0)
    try:
        zone = timezone(offset if found["sign"] == "+" else -offset)
        date = datetime(year, month, day, hour % 24 if midnight else hour, minute, min(second, 59), tzinfo=zone)
        return (date + midnight - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    except (ValueError, OverflowError):  # such as the 31st of February, or a zone of 99 hours
        return None


def _mail_seconds(text: str) -> float | None:
    parts = parsedate_tz(text)
    if parts is None:
        return None
    try:
        datetime(*parts[:5], tzinfo=UTC)  # mktime_tz accepts the 40th of any month
        return float(mktime_tz(parts))
    except (ValueError, OverflowError):
        return None
