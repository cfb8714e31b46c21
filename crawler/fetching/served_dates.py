"""The Date field of an answer (RFC 9110, section 6.6.1), which can reveal a wrong clock on this machine. Pure."""

from __future__ import annotations

import re
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

_FAR_APART: Final = 86_400.0
"""The minimum difference between two clocks that counts, in seconds. Taking local time for UTC causes smaller ones.
"""


_AGE: Final = re.compile(r"[ \t]*([0-9]{1,12})[ \t]*(?:,|$)")
"""If there are several values, the first counts (RFC 9111, section 5.1)."""


def sent_at(date: str | None, age: str | None) -> float | None:
    """Return when an answer was sent, in epoch seconds; None if its fields do not say.

    The time is the Date of the answer plus its Age, which is how long a cache has kept the answer (RFC 9111).
    """
    if date is None:
        return None
    try:
        moment = parsedate_to_datetime(date.strip())
        kept = 0.0 if age is None or (seconds := _AGE.match(age)) is None else float(seconds[1])
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() + kept
    except (ValueError, OverflowError):
        return None


def disagree(ours: float, theirs: float | None) -> bool:
    """Return whether two clocks differ by more than a day; `theirs` may be None. Times are epoch seconds."""
    return theirs is not None and abs(ours - theirs) > _FAR_APART
