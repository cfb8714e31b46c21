"""The Date of an answer (RFC 9110, section 6.6.1): by it a clock here that is wrong is noticed. Pure."""

from __future__ import annotations

from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

_FAR_APART: Final = 86_400.0
"""Seconds: time zones that were taken for UTC do not count."""


def sent_at(date: str | None, age: str | None) -> float | None:
    """When an answer was sent, epoch seconds: its Date, and for how long a cache has kept it since (Age, RFC 9111);
    None if it does not say."""
    if date is None:
        return None
    try:
        moment = parsedate_to_datetime(date.strip())
        kept = float(age) if age is not None and age.strip().isdecimal() else 0.0
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() + kept
    except (ValueError, OverflowError):
        return None


def disagree(ours: float, theirs: float | None) -> bool:
    """Whether two clocks tell times that lie more than a day apart; epoch seconds, None: there is only one."""
    return theirs is not None and abs(ours - theirs) > _FAR_APART
