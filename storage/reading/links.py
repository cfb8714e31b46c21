"""Queries about links."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from sqlite3 import Row

import numpy as np
from numpy.typing import NDArray

from hinterland.storage.reading.subject_queries import TITLE, URL, SubjectQueries, cut
from hinterland.storage.schema import LINK_KINDS, LINKING_OUTCOMES
from hinterland.storage.sorted_links.reading import all_links, is_sorted, links_to
from hinterland.storage.values.links import LinkPortion, ShownLink, StoredLinks
from hinterland.storage.values.pages import NamedPage

_COUNTED = 10_000
_WORDS_OF = 2_000
"""Anchor texts are counted over at most this many linking pages, evenly spaced among all."""
_SHOWN = (
    f"SELECT page.id AS number, {URL}, {TITLE}, page.state, link_kind.name AS kind, {cut('anchor')} AS anchor, nofollow"
)
_WITH_NAMES = "JOIN link_kind ON link_kind.id = link.kind LEFT JOIN fetch ON fetch.page = page.id"


class LinkQueries(SubjectQueries):
    """Queries about links; see StoreReader."""

    @property
    def knows_inlinks(self) -> bool:
        """Whether the links to a page can be found fast.

        False only while links stored by an earlier version are being sorted.
        """
        return is_sorted(self._connection)

    def outlinks(self, number: int, after: int, limit: int) -> LinkPortion:
        """Return links of a page to pages with numbers above `after` (-1: all).

        All links to the last of these pages are included, so there may be more than `limit`.
        """
        most = limit + len(LINK_KINDS)
        rows = self._rows(
            f"{_SHOWN} FROM link JOIN page ON page.id = link.target {_WITH_NAMES} WHERE link.source = ?"
            " AND link.target > ? ORDER BY link.target, link.kind LIMIT ?",
            number, after, most,
        )  # fmt: skip
        total = self._value("SELECT count(*) FROM (SELECT 1 FROM link WHERE source = ? LIMIT ?)", number, _COUNTED + 1)
        return _portion(rows, limit, int(total))

    def inlinks(self, number: int, after: int, limit: int) -> LinkPortion:
        """Return links to a page in portions, as `outlinks` does; `total` counts linking pages."""
        sources = self._sources(number)
        some = sources[sources > after][: limit + 1].tolist()
        rows = self._rows(
            f"{_SHOWN} FROM json_each(?) AS each CROSS JOIN link ON link.source = each.value AND link.target = ?"
            f" JOIN page ON page.id = link.source {_WITH_NAMES} ORDER BY link.source, link.kind",
            json.dumps(some), number,
        )  # fmt: skip
        return _portion(rows, limit, len(sources))

    def _sources(self, target: int) -> NDArray[np.int64]:
        """Return the pages that link to a page, ascending."""
        return links_to(self._connection, np.array([target], np.int64)).values >> 1

    def of_pages(self, pages: Sequence[int], *, inlinks: bool) -> list[tuple[int, int]]:
        """Return (source, target) of the links from these pages or, with `inlinks`, of the links to these pages.

        Each pair is returned once, without self-links. Only links of crawled pages are known.
        """
        if inlinks:
            found = links_to(self._connection, np.array(pages, np.int64))
            pairs = json.dumps(list(zip((found.values >> 1).tolist(), found.keys.tolist(), strict=True)))
            links = "json_each(?) AS each CROSS JOIN link ON source = each.value ->> 0 AND target = each.value ->> 1"
        else:
            pairs = json.dumps(list(pages))
            links = "json_each(?) AS each CROSS JOIN link ON source = each.value"
        rows = self._rows(
            f"SELECT DISTINCT link.source, link.target FROM {links} JOIN fetch ON fetch.page = link.source"
            f" WHERE link.source <> link.target AND fetch.outcome IN {LINKING_OUTCOMES}",
            pairs,
        )
        return [(row["source"], row["target"]) for row in rows]

    def count(self) -> int:
        """Return the number of links. Reads the whole table."""
        return int(self._value("SELECT count(*) FROM link"))

    def most_linked(self, limit: int) -> list[tuple[NamedPage, int]]:
        """Return the `limit` fetched pages to which most pages link, each with the number of these pages.

        It reads all links.
        """
        links = all_links(self._connection)
        linked, counts = np.unique(links.keys[links.keys != links.values >> 1], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        found = list[tuple[NamedPage, int]]()
        for page, count in zip(linked[order].tolist(), counts[order].tolist(), strict=True):
            if len(found) == limit:
                break
            row = self._row(
                f"SELECT page.id AS number, {URL}, {TITLE} FROM page JOIN fetch ON fetch.page = page.id"
                " WHERE page.id = ? AND fetch.outcome = 'fetched'",
                page,
            )
            if row is not None:
                found.append((NamedPage(row["number"], row["url"], row["title"]), count))
        return found

    def of_front_pages(self, kind: str) -> dict[int, list[str]]:
        """Return, by host number, the targets of the links of this kind on the host's page "/".

        Hosts without such links are left out.
        """
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
        """Return the distinct anchor texts of links from other pages to this page, the most frequent first.

        If more than _WORDS_OF pages link to this page, only that many of them are read, evenly spaced among all.
        """
        sources = self._sources(number)
        if len(sources) > _WORDS_OF:
            sources = sources[np.linspace(0, len(sources) - 1, _WORDS_OF).astype(np.int64)]
        rows = self._rows(
            "SELECT anchor FROM json_each(?) AS each CROSS JOIN link ON source = each.value AND target = ?"
            " WHERE source <> target AND anchor <> '' GROUP BY anchor ORDER BY count(*) DESC, anchor LIMIT ?",
            json.dumps(sources.tolist()), number, limit,
        )  # fmt: skip
        return [row["anchor"] for row in rows]

    def anchors_between(self, source: int, targets: Sequence[int]) -> list[str]:
        """Return the anchor texts of a page's links to these targets; empty texts are left out."""
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
        """Return the whole link graph, from one snapshot of the store.

        Takes 8 bytes of memory per link, plus the URLs.
        """
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


def _portion(rows: Sequence[Row], limit: int, total: int) -> LinkPortion:
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
    following = links[-1].page.number if end < len(rows) else None
    return LinkPortion(links, following, min(total, _COUNTED), is_exact=total <= _COUNTED)
