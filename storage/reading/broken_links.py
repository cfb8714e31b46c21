"""Queries about broken links."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hinterland.storage.reading.subject_queries import TITLE, URL, SubjectQueries, cut
from hinterland.storage.schema import DEAD, FAILED, LINK_KINDS
from hinterland.storage.sorted_links.reading import is_sorted, links_to
from hinterland.storage.values.broken_links import (
    HOST_GIVEN_UP,
    REDIRECT_LOOP,
    BrokenKind,
    BrokenLink,
    BrokenPage,
    BrokenTargets,
)
from hinterland.storage.values.pages import NamedPage

_OUR_LIMITS = "('too_large', 'unreadable', 'unknown_encoding', 'parse_timeout', 'parser_crash', 'internal_error')"
"""Outcomes due to limits of the crawler: the response was too large or too strange, but a browser would show it."""
_BROKEN = f"(({DEAD} AND outcome NOT IN {_OUR_LIMITS}) OR (retry_at IS NULL AND outcome = 'too_many_redirects'))"
_ON_LOST_HOSTS = f"""
SELECT page.id AS page, coalesce(outcome, '{HOST_GIVEN_UP}') AS outcome, status
FROM host CROSS JOIN page ON page.url >= host.url || '/' AND page.url < host.url || '0'
LEFT JOIN fetch ON fetch.page = page.id WHERE host.is_given_up AND +page.state = 'waiting'
"""
"""The pages of a host are found by a range of URLs; "0" is the character after "/". Without the plus, SQLite would
build an index of all waiting pages each time, and scan all of them for each host.
"""
_REDIRECT = LINK_KINDS.index("redirect")
_WHY = "coalesce(detail, host.last_error, '')"
_Kind = tuple[str, int | None]


class BrokenLinkQueries(SubjectQueries):
    """Queries about broken links; see StoreReader.

    A page is broken if it was requested without success and will not be requested again, if its host was given up, or
    if its redirects form a loop or are too many. A link is broken if it leads to such a page, directly or through
    redirects. Pages that robots.txt forbids or that were never requested do not count as broken, since their state is
    unknown. Pages whose responses could not be parsed do not count either.
    """

    def targets(self, *, from_host: int | None = None) -> BrokenTargets:
        """Return all broken pages, even those without links to them, such as seeds.

        With `from_host`, only links on the pages of this host count, and pages without such links are left out.

        In a store with 130,000 fetched pages, 8,500 broken pages and 250,000 links to them, it takes 0.2 s.
        """
        kinds, ends = self._ends()
        knows_links = is_sorted(self._connection)
        linking = self._linking_pages(ends, from_host) if knows_links else {}
        broken = list(kinds) if from_host is None else [page for page in kinds if page in linking]
        broken.sort(key=lambda page: (-linking.get(page, 0), page))
        names = {kind: place for place, kind in enumerate(dict.fromkeys(kinds[page] for page in broken))}
        counts = np.array([linking.get(page, 0) for page in broken], np.int64)
        places = np.array([names[kinds[page]] for page in broken], np.int32)
        by_kind = [
            BrokenKind(*kind, int((is_it := places == place).sum()), int(counts[is_it].sum()) if knows_links else None)
            for kind, place in names.items()
        ]
        ways = defaultdict(list)
        for page, end in ends.items():
            if page != end:
                ways[end].append(page)
        hosts = self._hosts_of(broken)
        return BrokenTargets(
            pages=np.array(broken, np.int64),
            linking_pages=counts,
            kinds=places,
            hosts=hosts,
            by_kind=by_kind,
            knows_links=knows_links,
            ways=dict(ways),
        )

    def described(
        self, targets: BrokenTargets, places: Sequence[int], *, most_links: int | None, from_host: int | None = None
    ) -> list[BrokenPage]:
        """Return the pages at these positions in `targets`, each with up to `most_links` links to it (None: all)."""
        found = []
        for place in places:
            number = int(targets.pages[place])
            [row] = self._rows(
                f"SELECT page.id AS number, {cut('page.url', 8_000)} AS url, {TITLE}, {cut(_WHY)} AS detail, started_at"
                " FROM page JOIN host ON host.id = page.host LEFT JOIN fetch ON fetch.page = page.id WHERE page.id = ?",
                number,
            )
            kind = targets.by_kind[targets.kinds[place]]
            ways = targets.ways.get(number, [])
            links = self._links([number, *ways], number, most_links, from_host) if targets.knows_links else []
            found.append(
                BrokenPage(
                    page=NamedPage(row["number"], row["url"], row["title"]),
                    outcome=kind.outcome,
                    status=kind.status,
                    detail=row["detail"],
                    visited_at=row["started_at"],
                    linking_pages=int(targets.linking_pages[place]) if targets.knows_links else None,
                    links=links,
                )
            )
        return found

    def _ends(self) -> tuple[dict[int, _Kind], dict[int, int]]:
        """Return two mappings: broken page -> why it is broken, and page -> broken page at the end of its redirects.

        The second mapping also has each broken page, which leads to itself.
        """
        failed = self._rows(f"SELECT page, outcome, status FROM fetch WHERE {FAILED} AND {_BROKEN}")
        kinds: dict[int, _Kind] = {row["page"]: (row["outcome"], row["status"]) for row in failed}
        kinds |= {row["page"]: (row["outcome"], row["status"]) for row in self._rows(_ON_LOST_HOSTS)}
        moved = dict(
            self._connection.execute(
                "SELECT page, redirect_target FROM fetch WHERE outcome = 'redirected' AND redirect_target IS NOT NULL"
            )
        )
        kinds |= dict.fromkeys(_in_circles(moved), (REDIRECT_LOOP, None))
        ends: dict[int, int | None] = {page: page for page in kinds}
        for start, target in moved.items():
            way, here = [start], target
            while here in moved and here not in ends:
                way.append(here)
                here = moved[here]
            if start not in ends:
                ends |= dict.fromkeys(way, ends.get(here))
        return kinds, {page: end for page, end in ends.items() if end is not None}

    def _linking_pages(self, ends: Mapping[int, int], from_host: int | None) -> dict[int, int]:
        pages = np.array(sorted(ends), np.int64)
        broken = np.array([ends[page] for page in pages.tolist()], np.int64)
        links = links_to(self._connection, pages)
        targets, sources = links.keys, links.values >> 1
        is_counted = (links.values & 1) == 0  # no redirect
        if from_host is not None:
            is_counted &= np.isin(sources, self._pages_of_host(np.unique(sources), from_host))
        pairs = np.unique(broken[pages.searchsorted(targets[is_counted])] << 32 | sources[is_counted])
        linked, counts = np.unique(pairs >> 32, return_counts=True)
        return dict(zip(linked.tolist(), counts.tolist(), strict=True))

    def _pages_of_host(self, pages: NDArray[np.int64], host: int) -> NDArray[np.int64]:
        sql = "SELECT page.id FROM json_each(?) AS each CROSS JOIN page ON page.id = each.value WHERE host = ?"
        return np.array([row["id"] for row in self._rows(sql, json.dumps(pages.tolist()), host)], np.int64)

    def _hosts_of(self, pages: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        rows = self._connection.execute(
            "SELECT page.host FROM json_each(?) AS each CROSS JOIN page ON page.id = each.value ORDER BY each.key",
            [json.dumps(list(pages))],
        )
        return np.array([host for (host,) in rows], np.int64)

    def _links(self, targets: Sequence[int], broken: int, most: int | None, from_host: int | None) -> list[BrokenLink]:
        """Return up to `most` links to the pages in `targets`, which lead to `broken`, ordered by their sources."""
        found = links_to(self._connection, np.array(targets, np.int64))
        found = found.part((found.values & 1) == 0)  # no redirect
        if most is not None and from_host is None:
            found = found.part(np.argsort(found.values, kind="stable")[:most])
        pairs = zip((found.values >> 1).tolist(), found.keys.tolist(), strict=True)
        rows = self._rows(
            f"SELECT source.id AS number, {cut('source.url', 8_000)} AS url, {TITLE}, {cut('anchor')} AS anchor,"
            " target, link_kind.name AS kind, nofollow"
            " FROM json_each(?) AS each CROSS JOIN link"
            " ON link.source = each.value ->> 0 AND link.target = each.value ->> 1"
            " JOIN page AS source ON source.id = link.source JOIN link_kind ON link_kind.id = link.kind"
            f" LEFT JOIN fetch ON fetch.page = source.id WHERE link.kind <> {_REDIRECT} AND ? IN (-1, source.host)"
            " ORDER BY link.source, target, link.kind LIMIT ?",
            json.dumps(list(pairs)), -1 if from_host is None else from_host, -1 if most is None else most,
        )  # fmt: skip
        ways = self._named([row["target"] for row in rows if row["target"] != broken])
        return [
            BrokenLink(
                NamedPage(row["number"], row["url"], row["title"]),
                row["anchor"],
                row["kind"],
                bool(row["nofollow"]),
                ways.get(row["target"]),
            )
            for row in rows
        ]

    def _named(self, numbers: Sequence[int]) -> dict[int, NamedPage]:
        sql = f"SELECT id AS number, {URL} FROM page WHERE id = ?"
        return {
            number: NamedPage(row["number"], row["url"], None)
            for number in dict.fromkeys(numbers)
            for row in self._rows(sql, number)
        }


def _in_circles(moved: Mapping[int, int]) -> list[int]:
    """Return the pages whose redirects form a loop, ascending; `moved` maps each page to the target of its redirect."""
    found, done = set[int](), set[int]()
    for start in moved:
        way: dict[int, int] = {}
        page = start
        while page in moved and page not in done and page not in way:
            way[page] = len(way)
            page = moved[page]
        if page in way:
            found.update(each for each, place in way.items() if place >= way[page])
        done.update(way)
    return sorted(found)
