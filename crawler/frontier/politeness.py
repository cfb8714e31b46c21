"""How long a host rests after a visit. Pure: times and randomness are arguments, all in seconds.

The rule is Mercator's (Najork & Wiener 2001, section 3): after a download that took t seconds, the host rests for
factor * t. Here this is at least the fixed delay and the host's own Crawl-delay, and at most a cap. A host that fails
or throttles rests exponentially longer, with jitter, so that many crawlers stopped by one outage do not come back
together; Retry-After (RFC 9110, section 10.2.3) is a lower bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hinterland.crawler.settings import PolitenessSettings

BACKOFF_JITTER: Final = 0.2
"""The maximum random share by which a back-off is lengthened, so that hosts that failed together are not retried
together."""


def rest_after_answer(
    settings: PolitenessSettings, download_seconds: float, crawl_delay: float | None, requests: int = 1
) -> float:
    """Return how long a host rests after `requests` answers in a row, in seconds.

    `download_seconds` is the total duration of these requests.
    """
    mercator = min(settings.delay_factor * download_seconds, settings.max_delay_seconds)
    return max(requests * max(settings.delay_seconds, crawl_delay or 0.0), mercator)


def longest_rest(settings: PolitenessSettings, max_crawl_delay: float) -> float:
    """Return the longest rest, in seconds, that these settings allow.

    If a stored rest ends later than this, a clock was wrong when it was written.
    """
    backoff = settings.max_backoff_seconds * (1.0 + BACKOFF_JITTER)
    delays = max(settings.delay_seconds, settings.max_delay_seconds, max_crawl_delay)
    return max(backoff, delays, settings.max_retry_after_seconds)


def rest_after_failure(
    settings: PolitenessSettings,
    failures: int,
    *,
    retry_after: float | None,
    crawl_delay: float | None,
    random: Callable[[], float],
) -> float:
    """Return how long a host rests after its `failures`-th failure in a row, in seconds.

    `random` returns a number in [0, 1). The exponential part is at most max_backoff_seconds, and Retry-After counts up
    to max_retry_after_seconds. Jitter never shortens the rest.
    """
    exponent = min(failures - 1, 60)
    backoff = min(settings.backoff_seconds * 2.0**exponent, settings.max_backoff_seconds)
    backoff *= 1.0 + BACKOFF_JITTER * random()
    asked = min(retry_after or 0.0, settings.max_retry_after_seconds)
    return max(backoff, asked, settings.delay_seconds, crawl_delay or 0.0)
