"""The Retry-After field (RFC 9110, section 10.2.3). Pure."""

from __future__ import annotations

import re
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

from hinterland.crawler.fetching.answers import Answer, NoAnswer

_SECONDS: Final = re.compile(r"([0-9]+)[ \t]*(?:,[ \t]|,?$)")
"""If there are two numbers, the first counts: they were sent in two fields and joined on the way."""


def retry_after_seconds(value: str | None, now: float) -> float | None:
    """Return the seconds to wait from `now` (epoch seconds); None if absent, unreadable or in the past."""
    if value is None:
        return None
    value = value.strip()
    if (seconds := _SECONDS.match(value)) is not None:
        return float(seconds[1][:12])
    try:
        date = parsedate_to_datetime(value)
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        wait = date.timestamp() - now
    except (ValueError, OverflowError):  # such as a year of eleven digits
        return None
    return wait if wait > 0 else None


def asked_to_wait(answer: Answer | NoAnswer | None, now: float) -> float | None:
    """Return how many seconds from `now` an answer asks the crawler to wait; None if it does not ask."""
    return retry_after_seconds(answer.retry_after, now) if isinstance(answer, Answer) else None
