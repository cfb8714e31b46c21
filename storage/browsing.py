"""Questions of those who look around in a store: at one page, one host, some links. Read-only, like all reports.

Everything is asked through a key or in bounded portions, so that no answer takes seconds in a store of millions of
pages: lists go on after the last number of the portion before; what has no index is looked through up to a limit,
and the answer says so.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from storage.schema import FAILED, LINK_KINDS
from storage.values.compression import DamagedFrame, beginning
from storage.values.hosts import HostFailure, HostPages, HostRobots, HostView
from storage.values.links import LinkPage, ShownLink
from storage.values.pages import PAGE_STATES, ListedPage, ListedPages, NamedPage, PageView, RankedPage, StoredText
from storage.values.ranks import EstimateHead, PageRanks

_COUNTED = 10_000
_LOOKED_AT = 10_000
_MAX_TEXT_BYTES = 400_000
_MAX_ROBOTS_BYTES = 100_000
_MAX_HEADINGS = 500
_MAX_CHARACTERS = 1_000
"""Of one title, anchor, heading, error or the like: a page can have a title of megabytes, and one list holds many."""
_MAX_URL_CHARACTERS = 8_000


def _cut(column: str, longest: int = _MAX_CHARACTERS) -> str:
    """SQL for the beginning of a text; "…" at its end says that it is one."""
    return f"iif(length({column}) > {longest}, substr({column}, 1, {longest}) || '…', {column})"


_URL, _TITLE, _DETAIL, _ANCHOR = _cut("url", _MAX_URL_CHARACTERS), _cut("title"), _cut("detail"), _cut("anchor")

_PAGE = f"""
SELECT page.id, page.url, host.url, page.state, page.is_local, page.depth, page.referrer, visit, outcome, {_DETAIL},
       attempt, retry_at, started_at, seconds, status, {_cut("content_type")}, {_cut("charset")},
       wire_bytes, body_bytes, {_cut("last_modified")}, redirect_target, canonical, {_TITLE}, {_cut("description")},
       {_cut("language")}, coalesce(is_noindex, 0), coalesce(is_nofollow, 0), cut
FROM page JOIN host ON host.id = page.host LEFT JOIN fetch ON fetch.page = page.id WHERE page.id = ?
"""

_HOST = f"""
SELECT id, url, site, address, next_fetch, rest_seconds, failures, pages_fetched, is_given_up, {_cut("last_error")},
       robots.status, robots.fetched_at, robots.expires_at, robots.crawl_delay
FROM host LEFT JOIN robots ON robots.host = host.id
"""

_ORDERS = {
    "pages": "pages_fetched DESC, id",
    "failures": "failures DESC, id",
    "rest": "next_fetch DESC, id",
    "name": "url",
}


_FIRST = "(SELECT id FROM page WHERE url >= ? AND url < ? LIMIT ?)"


class StoreBrowser:
    """Answers about one store, over a connection of the caller's."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    # ---------------------------------------------------------------- pages

    def page_number(self, url: str) -> int | None:
        rows = self._rows("SELECT id FROM page WHERE url = ?", url)
        return int(rows[0][0]) if rows else None

    def page(self, number: int) -> PageView | None:
        rows = self._rows(_PAGE, number)
        if not rows:
            return None
        values = list(rows[0])
        for place in (6, 20, 21):
            values[place] = None if values[place] is None else self.named([values[place]]).get(values[place])
        for place in (4, 25, 26):
            values[place] = bool(values[place])
        values[27] = json.loads(values[27] or "{}")
        return PageView(*values)

    def named(self, numbers: Sequence[int]) -> dict[int, NamedPage]:
        """By number; those that the store does not know (yet) are left out."""
        sql = f"SELECT id, {_URL}, {_TITLE} FROM page LEFT JOIN fetch ON fetch.page = page.id WHERE id = ?"
        return {number: NamedPage(*row) for number in numbers for row in self._rows(sql, number)}

    def text(self, number: int) -> StoredText | None:
        """None if the store keeps no content of the page."""
        sql = "SELECT text, iif(json_valid(headings), json_array_length(headings), -1) FROM content WHERE page = ?"
        rows = self._rows(sql, number)
        if not rows:
            return None
        packed, headings = rows[0]
        problems = [] if headings >= 0 else ["the stored headings are damaged"]
        outline = self._headings(number) if headings > 0 else []
        text, is_whole = "", True
        if packed is not None:
            try:
                text, is_whole = beginning(packed, _MAX_TEXT_BYTES)
            except DamagedFrame as error:
                problems.append(f"the stored text is damaged: {error}")
                is_whole = False
        return StoredText(text, is_whole, outline, max(headings, 0) - len(outline), "; ".join(problems))

    def _headings(self, number: int) -> list[tuple[int, str]]:
        """Taken apart by SQLite: what the JSON of a page with a million headings would cost holds up nobody."""
        text = "coalesce(CAST(each.value ->> 1 AS TEXT), '')"
        rows = self._rows(
            f"SELECT coalesce(CAST(each.value ->> 0 AS INTEGER), 0), {_cut(text)}"
            " FROM content, json_each(headings) AS each WHERE page = ? ORDER BY each.key LIMIT ?",
            number, _MAX_HEADINGS,
        )  # fmt: skip
        return [(int(level), str(heading)) for level, heading in rows]

    def copies(self, number: int, limit: int) -> list[NamedPage] | None:
        """Other pages whose bodies are the same, byte for byte; None while there is no index of them, as in a crawl."""
        if not self._has_index("fetch_body_hash"):
            return None
        rows = self._rows(
            "SELECT page FROM fetch INDEXED BY fetch_body_hash"
            " WHERE outcome = 'fetched' AND body_hash = (SELECT body_hash FROM fetch WHERE page = ?) AND page <> ?"
            " LIMIT ?",
            number, number, limit,
        )  # fmt: skip
        return list(self.named([page for (page,) in rows]).values())

    # ---------------------------------------------------------------- links

    @property
    def knows_inlinks(self) -> bool:
        """Whether the index of inlinks is there; while a crawl runs it is not."""
        return self._has_index("link_target")

    def _has_index(self, name: str) -> bool:
        return bool(self._rows("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?", name))

    def outlinks(self, number: int, after: int, limit: int) -> LinkPage:
        """The links of a page to those with numbers above `after` (-1: all): `limit`, and the rest of those to the last
        page."""
        return self._links("source", "target", number, after, limit)

    def inlinks(self, number: int, after: int, limit: int) -> LinkPage:
        """The links to a page; see `knows_inlinks`, or it reads all links there are."""
        return self._links("target", "source", number, after, limit)

    def _links(self, here: str, there: str, number: int, after: int, limit: int) -> LinkPage:
        rows = self._rows(
            f"SELECT page.id, {_URL}, {_TITLE}, page.state, link_kind.name, {_ANCHOR}, nofollow FROM link"
            f" JOIN page ON page.id = link.{there} JOIN link_kind ON link_kind.id = link.kind"
            f" LEFT JOIN fetch ON fetch.page = page.id WHERE link.{here} = ? AND link.{there} > ?"
            f" ORDER BY link.{there}, link.kind LIMIT ?",
            number, after, limit + len(LINK_KINDS),
        )  # fmt: skip
        end = min(limit, len(rows))
        while 0 < end < len(rows) and rows[end][0] == rows[end - 1][0]:
            end += 1  # the links of all kinds to one page stay together
        links = [ShownLink(NamedPage(*row[:3]), row[3], row[4], row[5], bool(row[6])) for row in rows[:end]]
        counted = f"SELECT count(*) FROM (SELECT 1 FROM link WHERE {here} = ? LIMIT ?)"
        total = int(self._rows(counted, number, _COUNTED + 1)[0][0])
        return LinkPage(
            links,
            links[-1].page.number if end < len(rows) else None,
            min(total, _COUNTED),
            is_exact=total <= _COUNTED,
        )

    # ---------------------------------------------------------------- ranks

    def estimator(self) -> str | None:
        """Whose ranks to show: those the last estimate was made by, or any that are stored; None if none are."""
        name = self._rows("SELECT estimator FROM shown_estimator")[0][0]
        return None if name is None else str(name)

    def ranked_pages(self) -> int:
        """How many pages the estimator has ranked whose ranks are shown; counted one by one."""
        return int(self._rows("SELECT count(*) FROM rank WHERE estimator = ?", self.estimator())[0][0])

    def ranks(self, number: int, ranked_pages: int) -> PageRanks | None:
        """None unless both the site and the web have ranked the page. ranked_pages: as counted before."""
        estimator = self.estimator()
        if estimator is None:
            return None
        one = "SELECT pagerank, place FROM rank WHERE estimator = ? AND page = ?"
        site, web = self._rows(one, "local", number), self._rows(one, estimator, number)
        if not site or not web:
            return None
        return PageRanks(estimator, site[0][0], web[0][0], site[0][1], web[0][1], ranked_pages)

    def estimate_heads(self, max_ranks: int) -> tuple[list[EstimateHead], int]:
        """Refreshes evenly chosen, the first and the last among them, so that they hold about `max_ranks` ranks at
        most; and how many there are in all."""
        rows = self._rows("SELECT id, created_at, local_pages, outside_pages FROM estimate ORDER BY id")
        if not rows:
            return [], 0
        heads = [EstimateHead(*row) for row in rows]
        largest = max(head.local_pages for head in heads) or 1
        room = min(max(max_ranks // largest, 4), 120)
        count = min(len(rows), room)
        places = sorted({round(i * (len(rows) - 1) / max(count - 1, 1)) for i in range(count)} | {len(rows) - 1})
        return [heads[place] for place in places], len(rows)

    def estimate_ranks(self, head: EstimateHead) -> bytes:
        """As analysis.rank_history packs them."""
        return bytes(self._rows("SELECT ranks FROM estimate WHERE id = ?", head.number)[0][0])

    # ---------------------------------------------------------------- hosts

    def host(self, number: int) -> HostView | None:
        return next(iter(self._hosts("WHERE host.id = ?", number)), None)

    def host_number(self, url: str) -> int | None:
        rows = self._rows("SELECT id FROM host WHERE url = ?", url)
        return int(rows[0][0]) if rows else None

    def hosts(self, order: str, offset: int, limit: int, *, only_visited: bool, part: str = "") -> list[HostView]:
        """order: one of HOST_ORDERS. part: only those whose URL holds it."""
        conditions = ["(? = '' OR instr(host.url, ?) > 0)"]
        if only_visited:
            conditions.append("(pages_fetched > 0 OR failures > 0 OR is_given_up)")
        return self._hosts(
            f"WHERE {' AND '.join(conditions)} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?",
            part, part, limit, offset,
        )  # fmt: skip

    def number_of_hosts(self, *, only_visited: bool, part: str = "") -> int:
        visited = "AND (pages_fetched > 0 OR failures > 0 OR is_given_up)" if only_visited else ""
        sql = f"SELECT count(*) FROM host WHERE (? = '' OR instr(host.url, ?) > 0) {visited}"
        return int(self._rows(sql, part, part)[0][0])

    def _hosts(self, rest: str, *parameters: object) -> list[HostView]:
        return [_host_view(*row) for row in self._rows(f"{_HOST} {rest}", *parameters)]

    def robots(self, number: int) -> HostRobots | None:
        rows = self._rows("SELECT text, sitemaps, sitemaps_left_out FROM robots WHERE host = ?", number)
        if not rows:
            return None
        text, sitemaps, left_out = rows[0]
        whole = text is None or len(text) <= _MAX_ROBOTS_BYTES
        shown = None if text is None else text[:_MAX_ROBOTS_BYTES].decode("utf-8", "replace")
        return HostRobots(shown, whole, [str(each) for each in json.loads(sitemaps)], left_out)

    def host_pages(self, host: HostView, top: int = 10) -> HostPages:
        """Finds the pages of a host by their URLs, which begin with its own: that is the index there is."""
        bounds = (f"{host.url}/", f"{host.url}0")  # "0" is the character after "/"
        by_state = {state: self._count(state, host.number) for state in PAGE_STATES}
        failures = self._rows(
            f"SELECT outcome, status, count(*) AS pages, min(id), {_URL}, {_TITLE}, {_DETAIL} FROM {_FIRST}"
            f" JOIN fetch ON fetch.page = id JOIN page USING (id) WHERE {FAILED}"
            " GROUP BY outcome, status ORDER BY pages DESC, outcome, status",
            *bounds, _LOOKED_AT,
        )  # fmt: skip
        known = sum(by_state.values())
        return HostPages(
            by_state,
            [HostFailure(row[0], row[1], row[2], NamedPage(*row[3:6]), row[6]) for row in failures],
            self._top(bounds, top),
            min(known, _LOOKED_AT),
            is_exact=known <= _LOOKED_AT,
        )

    def _count(self, state: str, host: int) -> int:
        sql = "SELECT coalesce(sum(pages), 0) FROM page_count WHERE is_local IN (0, 1) AND state = ? AND host = ?"
        return int(self._rows(sql, state, host)[0][0])

    def _top(self, bounds: tuple[str, str], limit: int) -> list[RankedPage]:
        estimator = self.estimator()
        if estimator is not None:
            ranked = self._rows(  # names are looked up for the few that are chosen
                f"SELECT each.id, pagerank FROM {_FIRST} AS each"
                " JOIN rank ON rank.estimator = ? AND rank.page = each.id"
                " WHERE as_site_sees IS NOT NULL ORDER BY pagerank DESC, each.id LIMIT ?",
                *bounds, _LOOKED_AT, estimator, limit,
            )  # fmt: skip
            if ranked:
                names = self.named([page for page, _ in ranked])
                return [RankedPage(names[page], pagerank) for page, pagerank in ranked]
        visited = self._rows(
            f"SELECT each.id FROM {_FIRST} AS each JOIN fetch ON fetch.page = each.id WHERE outcome = 'fetched'"
            " ORDER BY visit LIMIT ?",
            *bounds, _LOOKED_AT, limit,
        )  # fmt: skip
        return [RankedPage(each, None) for each in self.named([page for (page,) in visited]).values()]

    def pages_of_host(self, host: HostView, state: str, after: int, limit: int) -> ListedPages:
        """In the order of their URLs, from the one after the page numbered `after` (-1: the first) on. state: "" for
        any."""
        behind = "coalesce((SELECT url FROM page WHERE id = ?), '')"
        span = f"FROM page WHERE url >= ? AND url < ? AND url > {behind} ORDER BY url"
        bounds = (f"{host.url}/", f"{host.url}0", after)
        looked_at = _LOOKED_AT if state else limit + 1
        rows = self._rows(
            f"SELECT each.id, {_URL}, {_TITLE}, state, outcome, status, {_DETAIL}"
            f" FROM (SELECT id, url, state {span} LIMIT ?) AS each LEFT JOIN fetch ON fetch.page = each.id"
            " WHERE ? IN ('', state) ORDER BY url LIMIT ?",
            *bounds, looked_at, state, limit + 1,
        )  # fmt: skip
        listed = [ListedPage(NamedPage(*row[:3]), *row[3:]) for row in rows[:limit]]
        if len(rows) > limit:
            return ListedPages(listed, listed[-1].page.number)
        last = self._rows(f"SELECT id {span} LIMIT 1 OFFSET ?", *bounds, looked_at - 1)
        return ListedPages(listed, last[0][0] if last else None)

    def _rows(self, sql: str, *parameters: object) -> list[Any]:
        return self._connection.execute(sql, parameters).fetchall()


def _host_view(*columns: Any) -> HostView:
    values = list(columns)
    values[8] = bool(values[8])
    return HostView(*values)
