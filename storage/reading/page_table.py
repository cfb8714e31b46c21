"""Queries for a table of pages: filtered, sorted and continued after the last page shown.

No query examines more than MOST_EXAMINED pages, whatever the size of the store. If an order has an index, pages are
read along this index, from the last page shown. For other orders, pages are divided into portions by number (or, for
one host, by URL), and each portion is sorted separately. Failed pages have an index of their own: if they are few
enough, they form one portion.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Final

from hinterland.storage.reading.subject_queries import SubjectQueries, cut
from hinterland.storage.schema import FAILED
from hinterland.storage.values.page_table import NO_STATUS, STREAMED_ORDERS, PageFilter, PageTable, PageTableRow, Span

MOST_EXAMINED: Final = 200_000
"""The most pages that are examined for one answer."""

_COLUMNS: Final = f"""page.id AS number, {cut("page.url", 8_000)} AS url, {cut("fetch.title")} AS title, page.state,
 page.is_local, page.depth, fetch.outcome, fetch.status, {cut("fetch.content_type")} AS content_type,
 fetch.body_bytes, fetch.seconds, fetch.started_at AS fetched_at"""
_OF_PAGES: Final = "page LEFT JOIN fetch ON fetch.page = page.id"
_OF_FAILURES: Final = (
    f"(SELECT page AS failed FROM fetch INDEXED BY fetch_failure WHERE {FAILED}) CROSS JOIN page ON page.id = failed"
    " CROSS JOIN fetch ON fetch.page = failed"
)
_VALUES: Final = {
    "number": "page.id",
    "url": "page.url",
    "status": "coalesce(fetch.status, -1)",
    "size": "coalesce(fetch.body_bytes, -1)",
    "seconds": "coalesce(fetch.seconds, -1)",
    "fetched": "coalesce(fetch.started_at, -1)",
    "depth": "page.depth",
}
_FAILED_STATES: Final = ("failed", "refused")
_LED_TO_A_PAGE: Final = ("", "fetched", "other_type", "redirected")


@dataclass(frozen=True, slots=True)
class _Terms:
    """SQL conditions joined by AND, and their parameters in order."""

    conditions: tuple[str, ...] = ()
    parameters: tuple[object, ...] = ()

    def having(self, condition: str, *parameters: object) -> _Terms:
        """Return the terms with one more condition."""
        return _Terms((*self.conditions, condition), (*self.parameters, *parameters))

    @property
    def sql(self) -> str:
        """The conditions as SQL."""
        return " AND ".join(self.conditions) or "1"


class PageTableQueries(SubjectQueries):
    """Queries for tables of pages; see StoreReader."""

    def __init__(self, connection: sqlite3.Connection, looked_at: int = MOST_EXAMINED) -> None:
        """Take the connection, and the maximum number of pages to examine for one answer."""
        super().__init__(connection)
        self._looked_at = looked_at

    def count(self, wanted: PageFilter) -> int | None:
        """Return how many pages match the filter; None if they would have to be counted one by one."""
        if wanted != PageFilter(state=wanted.state, is_local=wanted.is_local, host=wanted.host):
            return None
        places = (0, 1) if wanted.is_local is None else (int(wanted.is_local),)
        terms = _Terms((f"is_local IN ({', '.join(map(str, places))})",))
        if wanted.state:
            terms = terms.having("state = ?", wanted.state)
        if wanted.host is not None:
            terms = terms.having("host = ?", wanted.host)
        return int(self._value(f"SELECT coalesce(sum(pages), 0) FROM page_count WHERE {terms.sql}", *terms.parameters))

    def portion(
        self,
        wanted: PageFilter,
        *,
        order: str = "number",
        is_descending: bool = False,
        after: int = -1,
        start: int = -1,
        limit: int = 50,
    ) -> PageTable:
        """Return the pages that follow page `after` (-1: the first pages) in the given order, one of PAGE_ORDERS.

        For orders without an index, `start` is the page at which the examined portion begins (-1: the first page).
        """
        terms = _terms(wanted)
        bounds = self._host_bounds(wanted.host)
        if wanted.host is not None and bounds is None:
            return PageTable((), None)
        if self.count(wanted) == 0:
            return PageTable((), None)
        is_few = bounds is None and _are_failures(wanted) and self._failures() <= self._looked_at
        if order in STREAMED_ORDERS and not is_few and not (order == "number" and bounds):
            return self._along_index(terms, order, bounds, is_descending=is_descending, after=after, limit=limit)
        sql, looked_at, next_start = _OF_FAILURES, None, None
        if not is_few:
            sql = _OF_PAGES
            terms, looked_at, next_start = self._one_portion(terms, bounds, start)
        rows = self._sorted(sql, terms, order, is_descending=is_descending, after=after, limit=limit + 1)
        next_after = rows[limit - 1].number if len(rows) > limit else None
        is_all = next_start is None and start < 0
        return PageTable(rows[:limit], next_after, None if is_all else looked_at, next_start)

    # ---------------------------------------------------------------- orders that have an index

    def _along_index(
        self, terms: _Terms, order: str, bounds: tuple[str, str] | None, *, is_descending: bool, after: int, limit: int
    ) -> PageTable:
        is_filtered = bool(terms.conditions)
        place = "page.id" if order == "number" else "page.url"
        beyond, way = ("<", "DESC") if is_descending else (">", "ASC")
        if bounds is not None:
            terms = terms.having("page.url >= ? AND page.url < ?", *bounds)
        among = _Terms() if bounds is None else _Terms(("url >= ? AND url < ?",), bounds)
        if after >= 0:
            here = after if order == "number" else self._value("SELECT url FROM page WHERE id = ?", after)
            terms = terms.having(f"{place} {beyond} ?", here)
            among = among.having(f"{place.removeprefix('page.')} {beyond} ?", here)
        last = self._last_looked_at(among, "id" if order == "number" else "url", way) if is_filtered else None
        if last is not None:
            terms = terms.having(
                f"{place} {'>=' if is_descending else '<='} ?", last["id"] if order == "number" else last["url"]
            )
        sql = f"SELECT {_COLUMNS} FROM {_OF_PAGES} WHERE {terms.sql} ORDER BY {place} {way} LIMIT ?"
        rows = [_row(row) for row in self._rows(sql, *terms.parameters, limit + 1)]
        if len(rows) > limit:
            return PageTable(rows[:limit], rows[limit - 1].number)
        return PageTable(rows, None if last is None else last["id"])

    def _last_looked_at(self, among: _Terms, place: str, way: str) -> sqlite3.Row | None:
        """Return the last page that may be examined for one answer; None if all pages may be examined."""
        walked = f"SELECT id, url FROM page WHERE {among.sql} ORDER BY {place} {way} LIMIT ?"
        if place == "id":  # numbers have no gaps, so the last one can be computed
            walked = f"SELECT id, url FROM page WHERE {among.sql} ORDER BY id {way} LIMIT 1"
            first = self._row(walked, *among.parameters)
            if first is None:
                return None
            step = self._looked_at - 1
            last = first["id"] - step if way == "DESC" else first["id"] + step
            beyond = "<" if way == "DESC" else ">"
            if self._row(f"SELECT 1 FROM page WHERE id {beyond} ? LIMIT 1", last) is None:
                return None
            return self._row("SELECT ? AS id, '' AS url", last)
        rows = self._rows(
            f"SELECT * FROM ({walked}) ORDER BY url {'ASC' if way == 'DESC' else 'DESC'} LIMIT 2",
            *among.parameters, self._looked_at + 1,
        )  # fmt: skip
        count = self._value(f"SELECT count(*) FROM ({walked})", *among.parameters, self._looked_at + 1)
        return rows[1] if count > self._looked_at else None

    # ---------------------------------------------------------------- orders without an index

    def _one_portion(self, terms: _Terms, bounds: tuple[str, str] | None, start: int) -> tuple[_Terms, int, int | None]:
        """Return the conditions of the portion that begins at `start`, its size, and where the next portion begins."""
        if bounds is None:
            first = max(start, 0)
            after = first + self._looked_at
            newest = int(self._value("SELECT coalesce(max(id), -1) FROM page"))
            terms = terms.having("page.id >= ? AND page.id < ?", first, after)
            return terms, max(min(after, newest + 1) - first, 0), after if after <= newest else None
        low, high = bounds
        if start >= 0:
            low = max(low, self._value("SELECT url FROM page WHERE id = ?", start) or low)
        rows = self._rows(
            "SELECT id, url FROM page WHERE url >= ? AND url < ? ORDER BY url LIMIT ?", low, high, self._looked_at + 1
        )
        if len(rows) <= self._looked_at:
            return terms.having("page.url >= ? AND page.url < ?", low, high), len(rows), None
        beyond = rows[-1]
        return terms.having("page.url >= ? AND page.url < ?", low, beyond["url"]), self._looked_at, beyond["id"]

    def _sorted(
        self, source: str, terms: _Terms, order: str, *, is_descending: bool, after: int, limit: int
    ) -> list[PageTableRow]:
        value = _VALUES[order]
        beyond, way = ("<", "DESC") if is_descending else (">", "ASC")
        if after >= 0:
            last = self._value(f"SELECT {value} FROM {_OF_PAGES} WHERE page.id = ?", after)
            terms = terms.having(f"({value}, page.id) {beyond} (?, ?)", last, after)
        sql = f"SELECT {_COLUMNS} FROM {source} WHERE {terms.sql} ORDER BY {value} {way}, page.id {way} LIMIT ?"
        return [_row(row) for row in self._rows(sql, *terms.parameters, limit)]

    def _failures(self) -> int:
        """Return the number of failed pages, or the limit if there are more."""
        counted = f"SELECT 1 FROM fetch INDEXED BY fetch_failure WHERE {FAILED} LIMIT ?"
        return int(self._value(f"SELECT count(*) FROM ({counted})", self._looked_at + 1))

    def _host_bounds(self, host: int | None) -> tuple[str, str] | None:
        """Return the bounds of the URLs of a host's pages, the first inclusive; None without a host.

        The second bound ends with "0", the character after "/".
        """
        url = None if host is None else self._value("SELECT url FROM host WHERE id = ?", host)
        return None if url is None else (f"{url}/", f"{url}0")


def _are_failures(wanted: PageFilter) -> bool:
    """Return whether the filter selects only pages that failed or were refused."""
    lowest = wanted.statuses[0]
    return (
        wanted.state in _FAILED_STATES or wanted.outcome not in _LED_TO_A_PAGE or (lowest is not None and lowest >= 400)
    )


def _terms(wanted: PageFilter) -> _Terms:
    """Return the conditions of a filter.

    A plus before a column keeps SQLite from using an index other than the intended one.
    """
    terms = _Terms()
    for condition, value in (("page.state = ?", wanted.state), ("+fetch.outcome = ?", wanted.outcome)):
        if value:
            terms = terms.having(condition, value)
    if wanted.is_local is not None:
        terms = terms.having("page.is_local = ?", int(wanted.is_local))
    if wanted.content_type:
        begins = "substr(lower(coalesce(fetch.content_type, '')), 1, ?) = ?"
        terms = terms.having(begins, len(wanted.content_type), wanted.content_type)
    if wanted.statuses == NO_STATUS:
        terms = terms.having("fetch.outcome IS NOT NULL AND +fetch.status IS NULL")
    else:
        terms = _within(terms, "+fetch.status", wanted.statuses)
    for column, span in (
        ("page.depth", wanted.depths),
        ("+fetch.body_bytes", wanted.sizes),
        ("+fetch.seconds", wanted.seconds),
        ("+fetch.started_at", wanted.fetched),
    ):
        terms = _within(terms, column, span)
    if wanted.is_untitled:
        terms = terms.having("+fetch.outcome = 'fetched' AND trim(coalesce(fetch.title, '')) = ''")
    return terms


def _within(terms: _Terms, column: str, span: Span) -> _Terms:
    for bound, comparison in zip(span, (">=", "<="), strict=True):
        if bound is not None:
            terms = terms.having(f"{column} {comparison} ?", bound)
    return terms


def _row(row: sqlite3.Row) -> PageTableRow:
    return PageTableRow(**{**dict(row), "is_local": bool(row["is_local"])})
