"""Points in time in words of users: "7d" for some time ago, or a date. Pure."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

_AGO: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])")
_UNITS: Final = {"s": "second", "m": "minute", "h": "hour", "d": "day", "w": "week"}
_SECONDS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}


class NoMoment(Exception):
    """Raised if a text does not name a point in time; the message shows valid texts."""


def seconds_of(text: str) -> float:
    """Return a length of time such as "12h" in seconds. Raises NoMoment."""
    found = _AGO.fullmatch(text.strip().lower())
    if found is None:
        raise NoMoment(f"{text!r} is not a length of time: write 30m, 12h or 7d")
    return float(found[1]) * _SECONDS[found[2]]


def since_words(text: str) -> str:
    """Return a value of --since in words: "in the last 7 days" for "7d", "since 2026-03-01" for a date."""
    found = _AGO.fullmatch(text.strip().lower())
    if found is None:
        return f"since {text.strip()}"
    count, unit = found[1], _UNITS[found[2]]
    return f"in the last {unit}" if count == "1" else f"in the last {count} {unit}s"


def moment_named(text: str, now: float) -> float:
    """Return a time in epoch seconds. "7d" is seven days before `now`; a date or time without a time zone is local.

    Raises NoMoment.
    """
    if _AGO.fullmatch(text.strip().lower()):
        return now - seconds_of(text)
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise NoMoment(f"{text!r} is not a time: write 12h, 7d, 2026-03-01 or 2026-03-01T08:30") from None
