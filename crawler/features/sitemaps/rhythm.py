"""How often a sitemap is asked, and when no more: what one answer makes of its row. Pure, but for the row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hinterland.crawler.features.sitemaps.entries import SitemapForm, SitemapOutcome, SitemapReading
from hinterland.crawler.features.sitemaps.entry_sketch import change_between
from hinterland.crawler.features.sitemaps.rows import Retirement, SitemapRow, SitemapSource
from hinterland.storage.values.times import DAY

_MINTED: Final = 0.9
"""Share of new URLs that can only be minted, if there are _FEWEST or more so soon after the last reading."""
_FEWEST: Final = 20
_PATIENCE: Final = 3
"""Readings, or failures, that it takes to be sure."""
_MAY_BE_OVER_SOON: Final = frozenset({Retirement.GONE, Retirement.FAILING, Retirement.NO_SITEMAP})
"""As after an outage, or while a page that says so stood for the sitemap."""
_FATAL: Final = frozenset({SitemapOutcome.BOMB, SitemapOutcome.TOO_DEEP, SitemapOutcome.TOO_MANY_NAMES})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """Seconds. first: between the first two readings. An interval is halved when a reading shows a change, and grows by
    half when it shows none, between shortest and longest. dead_after: unchanged for so long, a sitemap that an index
    names is not asked any more. gone_after, failing_after: so long it may fail. retry_named, retry_others: how long
    after it was retired one that robots.txt still names is tried again, and any other. retry_worst: the same of those
    that were unchanged for long, minted URLs or were a bomb.
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


def not_modified(row: SitemapRow, rhythm: Rhythm, now: float) -> None:
    """It answered 304."""
    _answered(row)
    _note_change(row, rhythm, now, 0.0)


def was_read(
    row: SitemapRow, reading: SitemapReading, sketch: bytes, rhythm: Rhythm, now: float, *, has_articles: bool
) -> None:
    """It answered with a body. sketch: of its entries."""
    if reading.entries == 0 and reading.outcome is not SitemapOutcome.WHOLE:
        _no_sitemap(row, reading, rhythm, now)
        return
    _answered(row)
    change = change_between(row.sketch, sketch)
    is_first = row.readings == 0
    # A first reading is not a change; and what a feed names is new by nature, as is the news.
    may_mint = not is_first and not has_articles and row.source is not SitemapSource.FEED
    is_minted = may_mint and reading.entries >= _FEWEST and change.new >= _MINTED
    was_soon = row.fetched_at is not None and now - row.fetched_at < 2 * rhythm.shortest
    row.mints = row.mints + 1 if is_minted and was_soon else 0
    row.sketch, row.entries = sketch, reading.entries
    _note_change(row, rhythm, now, 0.0 if is_first else change.new + change.moved)
    if row.mints >= _PATIENCE:
        is_index = reading.form is SitemapForm.INDEX
        retire(row, Retirement.MINTS_SITEMAPS if is_index else Retirement.MINTS_URLS, now)


def failed(row: SitemapRow, status: int | None, rhythm: Rhythm, now: float) -> None:
    """It answered with an error, or (None) not at all."""
    _count_failure(row, rhythm, now)
    assert row.failed_at is not None
    since = now - row.failed_at
    is_client_error = status is not None and 400 <= status < 500 and status != 429
    if is_client_error:
        is_over = row.failures >= _PATIENCE and since >= rhythm.gone_after
        if status == 410 or is_over or row.source is SitemapSource.GUESSED:
            retire(row, Retirement.GONE, now)
    elif row.failures >= _PATIENCE and since >= rhythm.failing_after:
        retire(row, Retirement.FAILING, now)


def retire(row: SitemapRow, reason: Retirement, now: float) -> None:
    """Ask it no more; what is left of it is small."""
    row.retired, row.retired_at = reason, now
    row.sketch = b""


def may_be_tried(row: SitemapRow, rhythm: Rhythm, now: float) -> bool:
    """Whether one that was retired, and is named still, was left alone for long enough."""
    wait = rhythm.retry_named if row.source is SitemapSource.ROBOTS else rhythm.retry_others
    if row.retired not in _MAY_BE_OVER_SOON:
        wait = rhythm.retry_worst
    return row.retired_at is None or now - row.retired_at >= wait


def try_again(row: SitemapRow, now: float) -> None:
    """Ask it once more. What was against it still is, so that one more failure of the kind is enough."""
    row.retired = row.retired_at = None
    row.next_at = now


def take_up(row: SitemapRow, now: float) -> None:
    """Ask it again, as if nothing had been against it."""
    row.retired = row.retired_at = None
    row.failures, row.failed_at, row.mints = 0, None, 0
    row.changed_at, row.next_at = now, now


def _answered(row: SitemapRow) -> None:
    row.failures, row.failed_at = 0, None


def _no_sitemap(row: SitemapRow, reading: SitemapReading, rhythm: Rhythm, now: float) -> None:
    _count_failure(row, rhythm, now)
    if reading.outcome in _FATAL:
        retire(row, Retirement.HOSTILE, now)
    elif row.failures >= _PATIENCE or row.source is SitemapSource.GUESSED:
        retire(row, Retirement.NO_SITEMAP, now)


def _count_failure(row: SitemapRow, rhythm: Rhythm, now: float) -> None:
    row.failures += 1
    row.failed_at = now if row.failed_at is None else row.failed_at
    interval = rhythm.first / 4 * 2.0 ** min(row.failures - 1, 10)
    row.next_at = now + min(max(interval, rhythm.shortest), rhythm.longest)


def _note_change(row: SitemapRow, rhythm: Rhythm, now: float, share: float) -> None:
    """Halve or lengthen the interval that it was asked in, however late that was."""
    interval = row.interval * (0.5 if share else 1.5) if row.interval else rhythm.first
    row.readings += 1
    row.fetched_at = now
    row.changed_at = now if share or row.changed_at is None else row.changed_at
    row.changed_share = (row.changed_share + share) / 2
    row.interval = min(max(interval, rhythm.shortest), rhythm.longest)
    row.next_at = now + row.interval
    is_old = row.readings >= _PATIENCE and now - row.changed_at >= rhythm.dead_after
    if is_old and row.source is SitemapSource.INDEX and row.retired is None:
        retire(row, Retirement.DEAD, now)
