"""Decides how often a sitemap is requested, and when it is retired, by updating its row after each answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hinterland.crawler.features.sitemaps.entries import SitemapForm, SitemapOutcome, SitemapReading
from hinterland.crawler.features.sitemaps.entry_sketch import change_between
from hinterland.crawler.features.sitemaps.rows import Retirement, SitemapRow, SitemapSource
from hinterland.storage.values.times import DAY

_MINTED: Final = 0.9
"""A sitemap of at least _FEWEST URLs *mints* URLs if this share of them is new soon after the last reading."""
_FEWEST: Final = 20
_PATIENCE: Final = 3
"""A sitemap is retired after this many minting readings, or failures, in a row."""
_MAY_BE_OVER_SOON: Final = frozenset({Retirement.GONE, Retirement.FAILING, Retirement.NO_SITEMAP})
"""Reasons that may be temporary: an outage, or an error page in place of the sitemap."""
_FATAL: Final = frozenset({SitemapOutcome.BOMB, SitemapOutcome.TOO_DEEP, SitemapOutcome.TOO_MANY_NAMES})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingIntervals:
    """Intervals, in seconds.

    `first` is the interval between the first two readings. An interval is halved when a reading shows a change, and
    grows by half when it shows none, between `shortest` and `longest`. A sitemap that an index names is retired if it
    was unchanged for `dead_after`. Any sitemap is retired if it has been missing for `gone_after`, or has failed in
    another way for `failing_after`. A retired sitemap that is still named is tried again after `retry_named` if
    robots.txt names it, otherwise after `retry_others`. If the reason for retiring it was not temporary, it is tried
    again only after `retry_worst`.
    """

    first: float = DAY
    shortest: float = 3_600.0
    longest: float = 30 * DAY
    dead_after: float = 180 * DAY
    gone_after: float = DAY
    failing_after: float = 7 * DAY
    retry_named: float = DAY
    retry_others: float = 30 * DAY
    retry_worst: float = 180 * DAY


def not_modified(row: SitemapRow, intervals: ReadingIntervals, now: float) -> None:
    """Record the answer 304."""
    _answered(row)
    _note_change(row, intervals, now, 0.0)


def was_read(
    row: SitemapRow,
    reading: SitemapReading,
    sketch: bytes,
    intervals: ReadingIntervals,
    now: float,
    *,
    has_articles: bool,
) -> None:
    """Record an answer with a body; `sketch` is the packed sketch of its entries."""
    if reading.entries == 0 and reading.outcome is not SitemapOutcome.WHOLE:
        _no_sitemap(row, reading, intervals, now)
        return
    _answered(row)
    change = change_between(row.sketch, sketch)
    is_first = row.readings == 0
    # A first reading is not a change; and what feeds and news sitemaps list is new by nature.
    may_mint = not is_first and not has_articles and row.source is not SitemapSource.FEED
    is_minted = may_mint and reading.entries >= _FEWEST and change.new >= _MINTED
    was_soon = row.fetched_at is not None and now - row.fetched_at < 2 * intervals.shortest
    row.mints = row.mints + 1 if is_minted and was_soon else 0
    row.sketch, row.entries = sketch, reading.entries
    _note_change(row, intervals, now, 0.0 if is_first else change.new + change.moved)
    if row.mints >= _PATIENCE:
        is_index = reading.form is SitemapForm.INDEX
        retire(row, Retirement.MINTS_SITEMAPS if is_index else Retirement.MINTS_URLS, now)


def failed(row: SitemapRow, status: int | None, intervals: ReadingIntervals, now: float) -> None:
    """Record a failed request: `status` is the error status, or None if there was no answer."""
    _count_failure(row, intervals, now)
    assert row.failed_at is not None
    since = now - row.failed_at
    is_client_error = status is not None and 400 <= status < 500 and status != 429
    if is_client_error:
        is_over = row.failures >= _PATIENCE and since >= intervals.gone_after
        if status == 410 or is_over or row.source is SitemapSource.GUESSED:
            retire(row, Retirement.GONE, now)
    elif row.failures >= _PATIENCE and since >= intervals.failing_after:
        retire(row, Retirement.FAILING, now)


def retire(row: SitemapRow, reason: Retirement, now: float) -> None:
    """Retire a sitemap, which is then no longer requested, and drop its sketch."""
    row.retired, row.retired_at = reason, now
    row.sketch = b""


def may_be_tried(row: SitemapRow, intervals: ReadingIntervals, now: float) -> bool:
    """Return whether enough time has passed for another request for a retired sitemap that is still named."""
    wait = intervals.retry_named if row.source is SitemapSource.ROBOTS else intervals.retry_others
    if row.retired not in _MAY_BE_OVER_SOON:
        wait = intervals.retry_worst
    return row.retired_at is None or now - row.retired_at >= wait


def try_again(row: SitemapRow, now: float) -> None:
    """Request a retired sitemap again. Its failures still count, so a single further failure retires it again."""
    row.retired = row.retired_at = None
    row.next_at = now


def take_up(row: SitemapRow, now: float) -> None:
    """Request a retired sitemap again, without counting its earlier failures."""
    row.retired = row.retired_at = None
    row.failures, row.failed_at, row.mints = 0, None, 0
    row.changed_at, row.next_at = now, now


def _answered(row: SitemapRow) -> None:
    row.failures, row.failed_at = 0, None


def _no_sitemap(row: SitemapRow, reading: SitemapReading, intervals: ReadingIntervals, now: float) -> None:
    _count_failure(row, intervals, now)
    if reading.outcome in _FATAL:
        retire(row, Retirement.HOSTILE, now)
    elif row.failures >= _PATIENCE or row.source is SitemapSource.GUESSED:
        retire(row, Retirement.NO_SITEMAP, now)


def _count_failure(row: SitemapRow, intervals: ReadingIntervals, now: float) -> None:
    row.failures += 1
    row.failed_at = now if row.failed_at is None else row.failed_at
    interval = intervals.first / 4 * 2.0 ** min(row.failures - 1, 10)
    row.next_at = now + min(max(interval, intervals.shortest), intervals.longest)


def _note_change(row: SitemapRow, intervals: ReadingIntervals, now: float, share: float) -> None:
    """Record a reading in which the share `share` of entries had changed: halve or lengthen the interval."""
    interval = row.interval * (0.5 if share else 1.5) if row.interval else intervals.first
    row.readings += 1
    row.fetched_at = now
    row.changed_at = now if share or row.changed_at is None else row.changed_at
    row.changed_share = (row.changed_share + share) / 2
    row.interval = min(max(interval, intervals.shortest), intervals.longest)
    row.next_at = now + row.interval
    is_old = row.readings >= _PATIENCE and now - row.changed_at >= intervals.dead_after
    if is_old and row.source is SitemapSource.INDEX and row.retired is None:
        retire(row, Retirement.DEAD, now)
