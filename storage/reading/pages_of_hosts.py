"""Queries about the pages of one host.

The pages are found by an index, because their URLs begin with the URL of the host.
"""

from __future__ import annotations

import sqlite3

from hinterland.storage.reading.pages import PageQueries
from hinterland.storage.reading.ranks import RankQueries
from hinterland.storage.reading.subject_queries import DETAIL, TITLE, URL, SubjectQueries
from hinterland.storage.schema import FAILED
from hinterland.storage.values.hosts import Host, HostFailure, HostPages
from hinterland.storage.values.pages import PAGE_STATES, HostTopPage, ListedPage, NamedPage, PagePortion

_MOST_EXAMINED = 10_000
"""The most pages that are examined for one answer."""
_FIRST = "(SELECT id FROM page WHERE url >= ? AND url < ? LIMIT ?)"


class HostPageQueries(SubjectQueries):
    """Queries about the pages of a host; see StoreReader."""

    def __init__(self, connection: sqlite3.Connection, pages: PageQueries, ranks: RankQueries) -> None:
        """Take the connection, and the queries about pages and ranks that this class uses."""
        super().__init__(connection)
        self._pages = pages
        self._ranks = ranks

    def summary(self, host: Host, top: int = 10) -> HostPages:
        """Return the pages of a host by state, its failures by kind, and its `top` highest ranked pages."""
        by_state = {state: self._count(state, host.number) for state in PAGE_STATES}
        failures = self._rows(
            f"SELECT outcome, status, count(*) AS pages, min(id) AS number, {URL}, {TITLE}, {DETAIL} FROM {_FIRST}"
            f" JOIN fetch ON fetch.page = id JOIN page USING (id) WHERE {FAILED}"
            " GROUP BY outcome, status ORDER BY pages DESC, outcome, status",
            *_bounds(host), _MOST_EXAMINED,
        )  # fmt: skip
        known = sum(by_state.values())
        return HostPages(
            by_state,
            [HostFailure(row["outcome"], row["status"], row["pages"], _named(row), row["detail"]) for row in failures],
            self._top(host, top),
            min(known, _MOST_EXAMINED),
            is_exact=known <= _MOST_EXAMINED,
        )

    def listed(self, host: Host, state: str, after: int, limit: int) -> PagePortion:
        """Return pages by URL, after the page numbered `after` (-1: the first pages); `state` "" selects any state."""
        behind = "coalesce((SELECT url FROM page WHERE id = ?), '')"
        span = f"FROM page WHERE url >= ? AND url < ? AND url > {behind} ORDER BY url"
        bounds = (*_bounds(host), after)
        looked_at = _MOST_EXAMINED if state else limit + 1
        rows = self._rows(
            f"SELECT each.id AS number, {URL}, {TITLE}, state, outcome, status, {DETAIL}"
            f" FROM (SELECT id, url, state {span} LIMIT ?) AS each LEFT JOIN fetch ON fetch.page = each.id"
            " WHERE ? IN ('', state) ORDER BY each.url LIMIT ?",
            *bounds, looked_at, state, limit + 1,
        )  # fmt: skip
        listed = [
            ListedPage(_named(row), row["state"], row["outcome"], row["status"], row["detail"]) for row in rows[:limit]
        ]
        if len(rows) > limit:
            return PagePortion(listed, listed[-1].page.number)
        return PagePortion(listed, self._value(f"SELECT id {span} LIMIT 1 OFFSET ?", *bounds, looked_at - 1))

    def _count(self, state: str, host: int) -> int:
        sql = "SELECT coalesce(sum(pages), 0) FROM page_count WHERE is_local IN (0, 1) AND state = ? AND host = ?"
        return int(self._value(sql, state, host))

    def _top(self, host: Host, limit: int) -> list[HostTopPage]:
        estimator = self._ranks.estimator()
        if estimator is not None:
            ranked = self._rows(  # names are looked up only for the chosen few
                f"SELECT each.id AS number, pagerank FROM {_FIRST} AS each"
                " JOIN rank ON rank.estimator = ? AND rank.page = each.id"
                " WHERE as_site_sees IS NOT NULL ORDER BY pagerank DESC, each.id LIMIT ?",
                *_bounds(host), _MOST_EXAMINED, estimator, limit,
            )  # fmt: skip
            if ranked:
                names = self._pages.named([row["number"] for row in ranked])
                return [HostTopPage(names[row["number"]], row["pagerank"]) for row in ranked]
        visited = self._rows(
            f"SELECT each.id AS number FROM {_FIRST} AS each JOIN fetch ON fetch.page = each.id"
            " WHERE outcome = 'fetched' ORDER BY visit LIMIT ?",
            *_bounds(host), _MOST_EXAMINED, limit,
        )  # fmt: skip
        return [HostTopPage(each, None) for each in self._pages.named([row["number"] for row in visited]).values()]


def _bounds(host: Host) -> tuple[str, str]:
    """Return the bounds of the URLs of a host's pages, the first inclusive.

    The second bound ends with "0", the character after "/".
    """
    return f"{host.url}/", f"{host.url}0"


def _named(row: sqlite3.Row) -> NamedPage:
    return NamedPage(row["number"], row["url"], row["title"])
