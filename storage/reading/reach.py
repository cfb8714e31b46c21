"""Pages of the domain that a crawl missed without a failure, and start pages that lead nowhere."""

from __future__ import annotations

from typing import Final

from hinterland.storage.reading.subject_queries import SubjectQueries
from hinterland.storage.values.reach import NofollowReport, StartReport

_EARLY: Final = 10_000
"""Start pages are looked for among this many first pages; later pages were found by links and redirects."""
_MOST_PAGES: Final = 2_000_000
"""In a store with more pages than this, pages are not scanned for nofollow."""
_UNFOLLOWED: Final = (
    "FROM page JOIN fetch ON fetch.page = page.referrer"
    " WHERE page.state = 'known' AND page.is_local AND page.depth <= ?1"
    " AND EXISTS (SELECT 1 FROM link WHERE link.source = page.referrer AND link.target = page.id AND link.nofollow)"
)
_NO_LIMIT: Final = 2**31
_SHELL: Final = "shell"


class ReachQueries(SubjectQueries):
    """Queries about what a crawl could not reach; see StoreReader."""

    def left_by_nofollow(self) -> NofollowReport | None:
        """Return the local pages that are not visited because all links to them are nofollow; None if there are none.

        Pages deeper than the depth limit of the last run do not count, since they would not be visited anyway.
        """
        if not self._value("SELECT sum(pages) FROM page_count WHERE is_local AND state = 'known'"):
            return None
        if self._value("SELECT max(id) FROM page") > _MOST_PAGES:
            return None
        max_depth = self._value("SELECT settings ->> '$.scope.max_depth' FROM run ORDER BY id DESC LIMIT 1")
        limit = max_depth if isinstance(max_depth, int) and max_depth >= 0 else _NO_LIMIT
        [row] = self._rows(
            f"SELECT count(*) AS pages, coalesce(sum(fetch.is_nofollow), 0) AS by_page, min(page.id) AS example"
            f" {_UNFOLLOWED}",
            limit,
        )
        if not row["pages"]:
            return None
        [example] = self._rows(
            "SELECT page.url AS url, referrer.url AS found_on FROM page JOIN page AS referrer"
            " ON referrer.id = page.referrer WHERE page.id = ?",
            row["example"],
        )
        return NofollowReport(row["pages"], row["by_page"], example["url"], example["found_on"])

    def is_left_by_nofollow(self, page: int) -> bool | None:
        """Return how nofollow keeps a local page from being visited; None if it does not.

        True means that the linking page declares all its links nofollow, False that the link itself is nofollow.
        """
        rows = self._rows(f"SELECT fetch.is_nofollow AS of_page {_UNFOLLOWED} AND page.id = ?2", _NO_LIMIT, page)
        return None if not rows else bool(rows[0]["of_page"])

    def dead_starts(self) -> list[StartReport]:
        """Return fetched start pages that lead to no page that may be visited, in the order of the seeds.

        These are pages without links, and shells: pages whose content is made by scripts. If no start page leads any
        further, start pages with external links only are included.
        """
        rows = self._rows(
            "SELECT start.url AS url, rendering, is_nofollow, count(DISTINCT target) AS links,"
            " count(DISTINCT CASE WHEN NOT nofollow THEN target END) AS followed,"
            " count(DISTINCT CASE WHEN NOT nofollow AND there.is_local THEN target END) AS local"
            " FROM page AS start JOIN fetch ON fetch.page = start.id"
            " LEFT JOIN link ON source = start.id AND target <> start.id LEFT JOIN page AS there ON there.id = target"
            f" WHERE start.id < {_EARLY} AND start.depth = 0 AND start.is_local AND outcome = 'fetched'"
            " GROUP BY start.id ORDER BY start.id"
        )
        leads_on = any(row["local"] for row in rows)
        return [
            StartReport(row["url"], row["links"], row["followed"], bool(row["is_nofollow"]), row["rendering"] == _SHELL)
            for row in rows
            if row["rendering"] == _SHELL or not row["followed"] or not (leads_on or row["local"])
        ]
