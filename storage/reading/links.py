"""Questions about links."""

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
    """See StoreReader."""

    @property
    def knows_inlinks(self) -> bool:
        """Whether the index of inlinks is there; while a crawl runs it is not."""
        return self._has_index("link_target")

    def outlinks(self, number: int, after: int, limit: int) -> LinkPortion:
        """The links of a page to those with numbers above `after` (-1: all): `limit`, and the rest of those to the last
        page.
        """
        return self._portion("source", "target", number, after, limit)

    def inlinks(self, number: int, after: int, limit: int) -> LinkPortion:
        """The links to a page; see `knows_inlinks`, or it reads all links there are."""
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
        """(source, target) of the links from these pages or, if `inlinks`, to them, each once and none to itself; only
        links of pages that count as crawled. See `knows_inlinks`.
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
        """Reads the table from end to end."""
        return int(self._value("SELECT count(*) FROM link"))

    def most_linked(self, limit: int) -> list[tuple[NamedPage, int]]:
        """The fetched pages that most other pages link to, and how many do.

        Quick only on small stores, or with the index that a finished crawl leaves.
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
        """The number of each host, and where links of that kind on its page "/" lead, if there are any."""
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
        """Distinct anchor texts of links that lead to a page from others, the most frequent first."""
        rows = self._rows(
            "SELECT anchor FROM link WHERE target = ? AND source <> target AND anchor <> ''"
            " GROUP BY anchor ORDER BY count(*) DESC, anchor LIMIT ?",
            number, limit,
        )  # fmt: skip
        return [row["anchor"] for row in rows]

    def anchors_between(self, source: int, targets: Sequence[int]) -> list[str]:
        """The anchor texts of a page's links to these others, those without any left out."""
        found = []
        for target in targets:
            sql = f"SELECT {cut('anchor')} AS anchor FROM link WHERE source = ? AND target = ? AND anchor <> ''"
            found += [str(row["anchor"]) for row in self._rows(f"{sql} LIMIT 1", source, target)]
        return found

    def texts_of(self, source: int) -> list[str]:
        """The anchor texts of all links of a page."""
        rows = self._rows("SELECT anchor FROM link WHERE source = ? AND anchor <> ''", source)
        return [row["anchor"] for row in rows]

    def all(self) -> StoredLinks:
        """The whole link graph, 8 bytes a link and the URLs in memory; as it was at one moment."""
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
