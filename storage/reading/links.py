"""Queries about links."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence

from hinterland.storage.reading.subject_queries import TITLE, URL, SubjectQueries, cut
from hinterland.storage.schema import LINK_KINDS, LINKING_OUTCOMES
from hinterland.storage.values.links import LinkPortion, ShownLink, StoredLinks
from hinterland.storage.values.pages import NamedPage

_COUNTED = 10_000


class LinkQueries(SubjectQueries):
    """Queries about links; see StoreReader."""

    @property
    def knows_inlinks(self) -> bool:
        """Whether the index of inlinks exists; while a crawl runs it does not."""
        return self._has_index("link_target")

    def outlinks(self, number: int, after: int, limit: int) -> LinkPortion:
        """Return links of a page to pages with numbers above `after` (-1: all).

        All links to the last page are included, so there may be more than `limit`.
        """
        return self._portion("source", "target", number, after, limit)

    def inlinks(self, number: int, after: int, limit: int) -> LinkPortion:
        """Return links to a page like `outlinks`.

        It scans all links unless `knows_inlinks`.
        """
        return self._portion("target", "source", number, after, limit)

    def _portion(self, here: str, there: str, number: int, after: int, limit: int) -> LinkPortion:
        rows = self._rows(
            f"SELECT page.id AS number, {URL}, {TITLE}, page.state, link_kind.name AS kind, {cut('anchor')} AS anchor,"
            f" nofollow FROM link JOIN page ON page.id = link.{there} JOIN link_kind ON link_kind.id = link.kind"
            f" LEFT JOIN fetch ON fetch.page = page.id WHERE link.{here} = ? AND link.{there} > ?"
            f" ORDER BY link.{there}, link.kind LIMIT ?",
            number, after, limit + len(LINK_KINDS),
        )  # fmt: skip
        end = min(limit, len(rows))
        while 0 < end < len(rows) and rows[end]["number"] == rows[end - 1]["number"]:
            end += 1  # the links of all kinds to one page stay together
        links = [
            ShownLink(
                NamedPage(row["number"], row["url"], row["title"]),
                state=row["state"],
                kind=row["kind"],
                anchor=row["anchor"],
                is_nofollow=bool(row["nofollow"]),
            )
            for row in rows[:end]
        ]
        counted = f"SELECT count(*) FROM (SELECT 1 FROM link WHERE {here} = ? LIMIT ?)"
        total = int(self._value(counted, number, _COUNTED + 1))
        return LinkPortion(
            links,
            links[-1].page.number if end < len(rows) else None,
            min(total, _COUNTED),
            is_exact=total <= _COUNTED,
        )

    def of_pages(self, pages: Sequence[int], *, inlinks: bool) -> list[tuple[int, int]]:
        """Return (source, target) of the links from these pages or, if `inlinks`, to them.

        Each pair is returned once, without self-links. Only links of crawled pages are known. With `inlinks`, all links
        are scanned unless `knows_inlinks`.
        """
        here = "target" if inlinks else "source"
        rows = self._rows(
            "SELECT DISTINCT link.source, link.target FROM link JOIN fetch ON fetch.page = link.source"
            f" WHERE link.{here} IN (SELECT value FROM json_each(?)) AND link.source <> link.target"
            f" AND fetch.outcome IN {LINKING_OUTCOMES}",
            json.dumps(list(pages)),
        )
        return [(row["source"], row["target"]) for row in rows]

    def count(self) -> int:
        """Return the number of links; scans the whole table."""
        return int(self._value("SELECT count(*) FROM link"))

    def most_linked(self, limit: int) -> list[tuple[NamedPage, int]]:
        """Return the fetched pages with the most linking pages, and the numbers of linking pages.

        It is fast only in small stores, or with the index that is built at the end of a crawl.
        """
        rows = self._rows(
            f"SELECT page.id AS number, {URL}, {TITLE}, count(DISTINCT link.source) AS inlinks"
            " FROM link JOIN page ON page.id = link.target JOIN fetch ON fetch.page = page.id"
            " WHERE link.source <> link.target AND fetch.outcome = 'fetched'"
            " GROUP BY link.target ORDER BY inlinks DESC, link.target LIMIT ?",
            limit,
        )
        return [(NamedPage(row["number"], row["url"], row["title"]), row["inlinks"]) for row in rows]

    def of_front_pages(self, kind: str) -> dict[int, list[str]]:
        """Return, by host number, the targets of links of this kind on its page "/"; hosts without any are left out."""
        rows = self._rows(
            "SELECT host.id AS host, target.url FROM host JOIN page ON page.url = host.url || '/'"
            " JOIN link ON link.source = page.id JOIN link_kind ON link_kind.id = link.kind"
            " JOIN page AS target ON target.id = link.target WHERE link_kind.name = ? ORDER BY host.id, target.id",
            kind,
        )
        found: dict[int, list[str]] = {}
        for row in rows:
            found.setdefault(row["host"], []).append(row["url"])
        return found

    def anchors(self, number: int, limit: int) -> list[str]:
        """Return the distinct anchor texts of links from other pages to this one, the most frequent first."""
        rows = self._rows(
            "SELECT anchor FROM link WHERE target = ? AND source <> target AND anchor <> ''"
            " GROUP BY anchor ORDER BY count(*) DESC, anchor LIMIT ?",
            number, limit,
        )  # fmt: skip
        return [row["anchor"] for row in rows]

    def anchors_between(self, source: int, targets: Sequence[int]) -> list[str]:
        """Return the anchor texts of a page's links to these targets; empty ones are left out."""
        found = []
        for target in targets:
            sql = f"SELECT {cut('anchor')} AS anchor FROM link WHERE source = ? AND target = ? AND anchor <> ''"
            found += [str(row["anchor"]) for row in self._rows(f"{sql} LIMIT 1", source, target)]
        return found

    def texts_of(self, source: int) -> list[str]:
        """Return the anchor texts of all links of a page."""
        rows = self._rows("SELECT anchor FROM link WHERE source = ? AND anchor <> ''", source)
        return [row["anchor"] for row in rows]

    def all(self) -> StoredLinks:
        """Return the whole link graph as of one moment: 8 bytes per link in memory, plus the URLs."""
        urls, is_local, is_visited = list[str](), bytearray(), bytearray()
        sources, targets = array("i"), array("i")
        self._connection.execute("BEGIN")
        try:
            pages = "SELECT url, is_local, state IN ('fetched', 'redirected') FROM page ORDER BY id"
            for url, local, visited in self._connection.execute(pages):
                urls.append(url)
                is_local.append(local)
                is_visited.append(visited)
            for source, target in self._connection.execute("SELECT source, target FROM link ORDER BY source, target"):
                sources.append(source)
                targets.append(target)
        finally:
            self._connection.execute("ROLLBACK")
        return StoredLinks(urls, bytes(is_local), bytes(is_visited), sources, targets)
