"""Queries about revisited pages and their changes."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from math import exp

from hinterland.storage.reading.subject_queries import TITLE, SubjectQueries
from hinterland.storage.values.compression import unpacked_bytes
from hinterland.storage.values.history import (
    Change,
    Freshness,
    PageEvidence,
    RevisitSummary,
    SettledPages,
    StoredSignals,
    StoredVersion,
)
from hinterland.storage.values.sitemaps import StoredSitemap
from hinterland.storage.values.soft_404 import ProbedDirectory
from hinterland.storage.values.versions import VersionLost, text_before

_AT_ONCE = 500

_VERSION = """
SELECT fetch.page, outcome, detail, attempt, started_at AS visited_at, body_hash, etag, last_modified, content_type,
       redirect_target, title, coalesce(missed, 0) AS missed, missing_since,
       EXISTS (SELECT 1 FROM content WHERE content.page = fetch.page AND body IS NOT NULL) AS has_body
FROM fetch LEFT JOIN look ON look.page = fetch.page WHERE fetch.page IN ({})
"""
_SETTLED = """
SELECT page.id, coalesce(pagerank, 0.0), coalesce(looked_at, started_at), due, rate, seen
FROM fetch JOIN page ON page.id = fetch.page LEFT JOIN look ON look.page = page.id
LEFT JOIN rank ON rank.page = page.id AND estimator = coalesce((SELECT estimator FROM shown_estimator), 'local')
WHERE state NOT IN ('waiting', 'known') ORDER BY page.id
"""

_LAST_LOOKS = """
SELECT fetch.page, max(started_at, coalesce(looked_at, started_at))
FROM fetch LEFT JOIN look ON look.page = fetch.page WHERE fetch.page IN ({})
"""

_CHANGES = f"""
SELECT change.id AS number, change.page, page.url, {TITLE}, change.at, change.kind, change.share,
       before IS NOT NULL AS has_before
FROM change JOIN page ON page.id = change.page LEFT JOIN fetch ON fetch.page = change.page
"""
_FRESHNESS = """
WITH looked AS (
    SELECT coalesce(pagerank, 0.0) AS rank, coalesce(looked_at, started_at) AS at, rate
    FROM fetch JOIN page ON page.id = fetch.page LEFT JOIN look ON look.page = page.id
    LEFT JOIN rank ON rank.page = page.id AND estimator = coalesce((SELECT estimator FROM shown_estimator), 'local')
    WHERE state = 'fetched'
), mean AS (SELECT nullif(avg(rank), 0.0) AS rank FROM looked)
SELECT count(*) AS pages, count(rate) AS learnt, min(at) AS oldest_at,
       sum(iif(rate IS NULL, NULL, (0.25 + coalesce(looked.rank / mean.rank, 0)) * still(rate, ?1 - at)))
       / sum(iif(rate IS NULL, NULL, 0.25 + coalesce(looked.rank / mean.rank, 0))) AS current
FROM looked, mean
"""
"""Pages are weighted as a recrawl spends its budget: four fifths by PageRank, one fifth evenly."""
_MOVED_TO = """
SELECT change.page FROM change JOIN fetch ON fetch.page = change.page
WHERE change.kind = 'moved' AND outcome = 'redirected' AND redirect_target = ? ORDER BY change.id DESC LIMIT 1
"""
_LEAVE_NOTHING = ("moved", "gone")
"""After these changes a page has no text, so the text before is kept as a stand-alone frame."""


def _still_current(rate: float, seconds: float) -> float:
    """Return the probability that a page with `rate` changes per second is unchanged after `seconds`."""
    return exp(-rate * max(seconds, 0.0))


class HistoryQueries(SubjectQueries):
    """Queries about revisits and changes; see StoreReader."""

    def settled(self) -> SettledPages:
        """Return the pages that were visited and are not queued, by number."""
        found = SettledPages(array("i"), array("d"), array("d"), evidence := [])
        for page, rank, at, due, rate, seen in self._connection.execute(_SETTLED):
            found.pages.append(page)
            found.ranks.append(rank)
            found.visited_at.append(at)
            evidence.append(None if seen is None else PageEvidence(due, rate, seen))
        return found

    def versions(self, pages: Sequence[int]) -> dict[int, StoredVersion]:
        """Return the stored version of each page, by page number; pages that were never visited are left out."""
        found: dict[int, StoredVersion] = {}
        for start in range(0, len(pages), _AT_ONCE):
            some = pages[start : start + _AT_ONCE]
            sql = _VERSION.format(", ".join("?" * len(some)))
            found.update((row[0], StoredVersion(*row)) for row in self._connection.execute(sql, tuple(some)))
        return found

    def last_visits(self, pages: Sequence[int]) -> dict[int, float]:
        """Return when each page was last requested, in epoch seconds; pages never requested are left out."""
        found: dict[int, float] = {}
        for start in range(0, len(pages), _AT_ONCE):
            some = pages[start : start + _AT_ONCE]
            sql = _LAST_LOOKS.format(", ".join("?" * len(some)))
            found.update(self._connection.execute(sql, tuple(some)))
        return found

    def packed_text(self, page: int) -> bytes:
        """Return the visible text of a page as a zstd frame; b"" if none is stored."""
        return self._value("SELECT text FROM content WHERE page = ?", page) or b""

    def targets(self, page: int) -> frozenset[int]:
        """Return the pages that a page links to."""
        rows = self._connection.execute("SELECT target FROM link WHERE source = ?", (page,))
        return frozenset(chain.from_iterable(rows))

    def sitemaps(self) -> list[StoredSitemap]:
        """Return all known sitemaps, including those that are no longer requested."""
        return [StoredSitemap(**row) for row in self._rows("SELECT * FROM sitemap ORDER BY url")]

    def probed(self) -> list[ProbedDirectory]:
        """Return how servers answer requests for missing pages, for each directory that was probed."""
        return [ProbedDirectory(**row) for row in self._rows("SELECT * FROM probed ORDER BY directory")]

    def signals(self) -> list[StoredSignals]:
        """Return how reliable the change signals of each host were, the hosts with most revisits first."""
        return [StoredSignals(**row) for row in self._rows("SELECT * FROM signal ORDER BY looks DESC, host, kind")]

    def signals_about(self, page: int) -> list[StoredSignals]:
        """Return how reliable the change signals of a page's host were."""
        sql = "SELECT * FROM signal WHERE host = (SELECT host FROM page WHERE id = ?) ORDER BY looks DESC, kind"
        return [StoredSignals(**row) for row in self._rows(sql, page)]

    def changes(
        self, since: float, *, kinds: Sequence[str] = (), limit: int = -1, before: int | None = None
    ) -> list[Change]:
        """Return the changes found since `since` (epoch seconds), the latest first.

        `kinds` selects kinds of changes, () for all. With `before`, only changes with lower numbers are returned.
        """
        wanted = f" AND change.kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
        earlier = "" if before is None else " AND change.id < ?"
        sql = f"{_CHANGES} WHERE change.at >= ?{wanted}{earlier} ORDER BY change.id DESC LIMIT ?"
        rows = self._rows(sql, since, *kinds, *([] if before is None else [before]), limit)
        return [Change(**row) for row in rows]

    def counts(self, since: float) -> dict[str, int]:
        """Return the number of changes of each kind found since `since`, the most frequent kind first."""
        sql = "SELECT kind, count(*) AS changes FROM change WHERE at >= ? GROUP BY kind ORDER BY changes DESC, kind"
        return {row["kind"]: row["changes"] for row in self._rows(sql, since)}

    def freshness(self, now: float) -> Freshness | None:
        """Return how current the store is at `now` (epoch seconds); None if no page was ever revisited."""
        if self._value("SELECT 1 FROM look LIMIT 1") is None:
            return None
        self._connection.create_function("still", 2, _still_current, deterministic=True)
        row = self._row(_FRESHNESS, now)
        return None if row is None or not row["pages"] else Freshness(**row)

    def revisit_summary(self, page: int) -> RevisitSummary | None:
        """Return a summary of the revisits of a page; None if it was never revisited."""
        columns = "looked_at, looks, changes, changed_at, missed, due, rate"
        row = self._row(f"SELECT {columns} FROM look WHERE page = ?", page)
        return None if row is None else RevisitSummary(**row)

    def changes_of(self, page: int) -> list[Change]:
        """Return the changes of a page, the latest first."""
        return [Change(**row) for row in self._rows(f"{_CHANGES} WHERE change.page = ? ORDER BY change.id DESC", page)]

    def text_before(self, page: int, back: int = 1) -> str:
        """Return the visible text that a page had before its last `back` changes; with 0, its current text.

        Raises VersionLost.
        """
        changes = self._including_the_page_it_moved_from(page)
        if back and not changes:
            raise VersionLost("no change of this page is known; `recrawl` looks for changes")
        if back > len(changes):
            raise VersionLost(f"only {len(changes)} of the changes of this page are known")
        text = unpacked_bytes(self.packed_text(page))
        for _, kind, before in changes[:back]:
            if before is not None:
                text = text_before(before, b"" if kind in _LEAVE_NOTHING else text)
            elif kind == "back":  # there had been no page before
                text = b""
            else:
                raise VersionLost(
                    "the text of that time is no longer kept; revisits.keep_texts sets how many earlier texts are kept"
                )
        return text.decode("utf-8", "replace")

    def _including_the_page_it_moved_from(self, page: int) -> list[tuple[float, str, bytes | None]]:
        """Return the changes of a page, the latest first, followed by the changes of the page that moved to it."""
        found: list[tuple[float, str, bytes | None]] = []
        seen = set[int]()
        at: int | None = page
        while at is not None and at not in seen:
            seen.add(at)
            found += [change for change in self.before(at) if change[1] != "new"]
            at = self._value(_MOVED_TO, at)
        return found

    def moved_from(self, page: int) -> str | None:
        """Return the URL of the page that last moved to this page; None if no page did."""
        source = self._value(_MOVED_TO, page)
        return None if source is None else self._value("SELECT url FROM page WHERE id = ?", source)

    def before(self, page: int) -> list[tuple[float, str, bytes | None]]:
        """Return (epoch seconds, kind, stored earlier text) of each change of a page, the latest first."""
        rows = self._rows("SELECT at, kind, before FROM change WHERE page = ? ORDER BY id DESC", page)
        return [(row["at"], row["kind"], row["before"]) for row in rows]
