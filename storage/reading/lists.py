"""Queries for all pages, links and failures, in portions ordered by number."""

from __future__ import annotations

import sqlite3

from hinterland.storage.reading.subject_queries import DETAIL, TITLE, URL, SubjectQueries, cut
from hinterland.storage.schema import FAILED
from hinterland.storage.values.lists import Failure, FailureList, LinkBetween, LinkList, PageList
from hinterland.storage.values.pages import ListedPage, NamedPage

_MOST_EXAMINED = 100_000
"""The most pages that are examined for one answer."""

_FAILURE = f"""
SELECT each.page AS number, {cut("page.url", 8_000)} AS url, {TITLE}, outcome, status, {DETAIL}, attempt, retry_at,
       started_at, page.referrer, {cut("referrer.url", 8_000)} AS referrer_url
FROM (SELECT page FROM fetch INDEXED BY %s WHERE {FAILED} AND %s LIMIT ?) AS each
JOIN fetch ON fetch.page = each.page JOIN page ON page.id = each.page
LEFT JOIN page AS referrer ON referrer.id = page.referrer ORDER BY %s
"""
_FAILURES = _FAILURE % ("fetch_failure", "page > ? AND ? IN ('', outcome) ORDER BY page", "each.page")
_LATEST = _FAILURE % ("latest_failure", "outcome <> 'robots' ORDER BY started_at DESC", "started_at DESC")


class ListQueries(SubjectQueries):
    """Queries for lists of pages, links and failures; see StoreReader."""

    def pages(self, after: int, limit: int, *, state: str = "", outcome: str = "") -> PageList:
        """Return pages with numbers above `after` (-1: all).

        `state` and `outcome` select pages; "" selects any.
        """
        end = after + _MOST_EXAMINED  # numbers have no gaps
        rows = self._rows(
            f"SELECT page.id AS number, {URL}, {TITLE}, state, outcome, status, {DETAIL} FROM page"
            " LEFT JOIN fetch ON fetch.page = page.id WHERE page.id > ? AND page.id <= ?"
            " AND ? IN ('', state) AND ? IN ('', outcome) ORDER BY page.id LIMIT ?",
            after, end, state, outcome, limit + 1,
        )  # fmt: skip
        listed = [
            ListedPage(
                NamedPage(row["number"], row["url"], row["title"]),
                row["state"],
                row["outcome"],
                row["status"],
                row["detail"],
            )
            for row in rows[:limit]
        ]
        if len(rows) > limit:
            return PageList(listed, listed[-1].page.number)
        return PageList(listed, None if self._row("SELECT 1 FROM page WHERE id > ? LIMIT 1", end) is None else end)

    def links(self, after: str, limit: int) -> LinkList:
        """Return the links that follow the link `after` ("" for the first portion), by source and target.

        Raises ValueError if `after` is not a `next_after` of an earlier portion.
        """
        source, target, kind = map(int, after.split("-")) if after else (-1, -1, -1)
        rows = self._rows(
            f"SELECT link.source, {cut('here.url', 8_000)} AS source_url,"
            f" target, {cut('there.url', 8_000)} AS target_url, kind, link_kind.name, nofollow,"
            f" {cut('anchor')} AS anchor FROM link"
            " JOIN page AS here ON here.id = link.source JOIN page AS there ON there.id = link.target"
            " JOIN link_kind ON link_kind.id = kind WHERE (link.source, target, kind) > (?, ?, ?)"
            " ORDER BY link.source, target, kind LIMIT ?",
            source, target, kind, limit + 1,
        )  # fmt: skip
        links = [
            LinkBetween(
                source=row["source"],
                source_url=row["source_url"],
                target=row["target"],
                target_url=row["target_url"],
                kind=row["name"],
                is_nofollow=bool(row["nofollow"]),
                anchor=row["anchor"],
            )
            for row in rows[:limit]
        ]
        if len(rows) <= limit:
            return LinkList(links, None)
        last = rows[limit - 1]
        return LinkList(links, f"{last['source']}-{last['target']}-{last['kind']}")

    def failures(self, after: int, limit: int, *, outcome: str = "") -> FailureList:
        """Return failures of pages with numbers above `after` (-1: all); `outcome` "" selects any."""
        rows = self._rows(_FAILURES, after, outcome, limit + 1)
        failures = [_failure(row) for row in rows[:limit]]
        return FailureList(failures, failures[-1].page.number if len(rows) > limit else None)

    def latest_failures(self, limit: int) -> list[Failure]:
        """Return the latest failed visits, the latest first; pages that robots.txt forbids are left out."""
        return [_failure(row) for row in self._rows(_LATEST, limit)]


def _failure(row: sqlite3.Row) -> Failure:
    return Failure(
        page=NamedPage(row["number"], row["url"], row["title"]),
        outcome=row["outcome"],
        status=row["status"],
        detail=row["detail"],
        attempt=row["attempt"],
        retry_at=row["retry_at"],
        visited_at=row["started_at"],
        referrer=None if row["referrer"] is None else NamedPage(row["referrer"], row["referrer_url"], None),
    )
