"""What can be exported: pages and links of a store, read in batches of bounded size.

Each batch is a read transaction of its own, so an export that takes an hour delays neither a running crawl nor the
checkpoint of its log. Pages found after the export began are left out. Each page is exported in the state that it has
when its batch is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast

from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.reading.subject_queries import select_list
from hinterland.storage.values.compression import unpacked
from hinterland.storage.values.extraction import Column

Report = Callable[[int, int], None]
"""Receives the number of pages exported so far, and the number of all pages to export."""

_PAGES_AT_ONCE = 10_000
_TEXTS_AT_ONCE = 500
_LINKS_AT_ONCE = 50_000
_RECORDS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class Selection:
    """What to export.

    `estimator` is the estimator whose PageRank is exported as `as_web_sees`. `local_only` leaves out external pages,
    and links from or to them. `table` is the table whose records are exported, and `columns` are its columns. `without`
    holds the numbers of pages to leave out, together with their records; it does not affect links and graphs.
    `changed_since`, in epoch seconds, leaves out pages that were fetched earlier and have not changed since then.
    `options` are the values of the format's own options.
    """

    estimator: str
    local_only: bool = False
    with_text: bool = False
    table: str = ""
    columns: Sequence[Column] = ()
    without: Collection[int] = frozenset()
    changed_since: float = 0.0
    options: Mapping[str, Any] = field(default_factory=dict)


class PageRow(NamedTuple):
    """A known page. Fields that only a visit can fill are None if the page was never visited.

    `as_site_sees` and `as_web_sees` are PageRanks, see the table `rank`. `fetched_at` is in epoch seconds. `body_hash`
    is the first 16 bytes of SHA-256 in hexadecimal. `canonical_is_fetched` tells whether the page names another page as
    its canonical page, and this other page was fetched.
    """

    page: int
    url: str
    host: str
    site: str
    is_local: bool
    state: str
    depth: int
    outcome: str | None
    status: int | None
    fetched_at: float | None
    content_type: str | None
    charset: str | None
    language: str | None
    title: str | None
    description: str | None
    redirect_target: str | None
    canonical: str | None
    body_bytes: int | None
    body_hash: str | None
    is_noindex: bool
    is_nofollow: bool
    as_site_sees: float | None
    as_web_sees: float | None
    last_modified: str | None
    canonical_is_fetched: bool
    text: str | None
    headings: str | None

    @property
    def is_indexable(self) -> bool:
        """Whether the page belongs in a search index: fetched, not noindex, and not a copy of another fetched page."""
        return self.outcome == "fetched" and not self.is_noindex and not self.canonical_is_fetched


class LinkRow(NamedTuple):
    """A link between two known pages."""

    source_page: int
    target_page: int
    source: str
    target: str
    kind: str
    nofollow: bool
    anchor: str
    leaves_host: bool
    target_is_local: bool


_PAGE_COLUMNS = {
    "page": "page.id",
    "url": "page.url",
    "host": "host.url",
    "site": "host.site",
    "is_local": "page.is_local",
    "state": "page.state",
    "depth": "page.depth",
    "outcome": "fetch.outcome",
    "status": "fetch.status",
    "fetched_at": "fetch.started_at",
    "content_type": "fetch.content_type",
    "charset": "fetch.charset",
    "language": "fetch.language",
    "title": "fetch.title",
    "description": "fetch.description",
    "redirect_target": "redirect.url",
    "canonical": "canonical.url",
    "body_bytes": "fetch.body_bytes",
    "body_hash": "lower(hex(fetch.body_hash))",
    "is_noindex": "coalesce(fetch.is_noindex, 0)",
    "is_nofollow": "coalesce(fetch.is_nofollow, 0)",
    "as_site_sees": "site.pagerank",
    "as_web_sees": "web.pagerank",
    "last_modified": "fetch.last_modified",
    "canonical_is_fetched": "coalesce(fetch.canonical <> page.id AND other.outcome = 'fetched', 0)",
    "text": "content.text",
    "headings": "content.headings",
}
_WITHOUT_TEXT = {**_PAGE_COLUMNS, "text": "NULL", "headings": "NULL"}

_PAGES = """
SELECT {columns}
FROM page
CROSS JOIN host ON host.id = page.host
LEFT JOIN fetch ON fetch.page = page.id
LEFT JOIN page AS redirect ON redirect.id = fetch.redirect_target
LEFT JOIN page AS canonical ON canonical.id = fetch.canonical
LEFT JOIN fetch AS other ON other.page = fetch.canonical
LEFT JOIN rank AS site ON site.estimator = 'local' AND site.page = page.id
LEFT JOIN rank AS web ON web.estimator = :estimator AND web.page = page.id
{content}
{changed}
WHERE page.id > :after AND page.id <= :last AND page.is_local >= :local
ORDER BY page.id LIMIT :limit
"""

_CHANGED = """
JOIN (
    SELECT fetch.page FROM fetch LEFT JOIN look ON look.page = fetch.page
    WHERE coalesce(look.changed_at, fetch.started_at) >= :since
) AS changed ON changed.page = page.id
"""
_KEYS = """
SELECT page.id, page.host, fetch.started_at FROM page LEFT JOIN fetch ON fetch.page = page.id
{changed}
WHERE page.id <= :last AND page.is_local >= :local ORDER BY page.id
"""
_FETCHED_URLS = """
SELECT page.id, page.url FROM page CROSS JOIN fetch ON fetch.page = page.id
WHERE page.id > :after AND page.id <= :last AND page.is_local >= :local AND fetch.outcome = 'fetched'
ORDER BY page.id LIMIT :limit
"""

_LINK_COLUMNS = {
    "source_page": "link.source",
    "target_page": "link.target",
    "source": "source.url",
    "target": "target.url",
    "kind": "link_kind.name",
    "nofollow": "link.nofollow",
    "anchor": "link.anchor",
    "leaves_host": "source.host <> target.host",
    "target_is_local": "target.is_local",
}

_LINKS = """
SELECT {columns}, link.kind
FROM link
CROSS JOIN page AS source ON source.id = link.source
CROSS JOIN page AS target ON target.id = link.target
CROSS JOIN link_kind ON link_kind.id = link.kind
WHERE (link.source, link.target, link.kind) > (:source, :target, :kind) AND link.source <= :last
      AND link.target <= :last AND source.is_local >= :local AND target.is_local >= :local
ORDER BY link.source, link.target, link.kind LIMIT :limit
"""


RECORD_FIELDS = ("url", "record")
"""The first fields of every record: its page, and its number within the page."""

_RECORDS = """
SELECT record.page, record.number, page.url, record.fields
FROM record CROSS JOIN page ON page.id = record.page
WHERE record.name = :name AND (record.page, record.number) > (:page, :number) AND record.page <= :last
      AND page.is_local >= :local
ORDER BY record.page, record.number LIMIT :limit
"""


class ExportSource:
    """One store, for one export."""

    def __init__(self, store: StoreReader, selection: Selection, report: Report) -> None:
        """Take a store and a selection. Only pages that are known now are exported."""
        self.store = store
        self.selection = selection
        self._connection = store.connection
        self._report = report
        self._last = int(self._connection.execute("SELECT coalesce(max(id), -1) FROM page").fetchone()[0])

    def ranked_pages(self) -> int:
        """Return how many pages the selected estimator has ranked; if it has ranked none, how many have local ranks."""
        ranks = self.store.ranks
        return ranks.count(self.selection.estimator) or ranks.count("local")

    def pages(self) -> Iterator[list[PageRow]]:
        """Yield the pages in the order of their numbers, with text and headings only if these were selected."""
        sql = self._pages_sql()
        after = -1
        while True:
            rows = self._connection.execute(sql, self._parameters(after)).fetchall()
            if not rows:
                return
            pages = [_page_row(row) for row in rows]
            yield [page for page in pages if page.page not in self.selection.without]
            after = pages[-1].page
            self._report(after + 1, self._last + 1)

    def rows_of(self, numbers: Iterable[int]) -> Iterator[PageRow]:
        """Yield these pages in the given order, whether they are selected or not; unknown pages are left out."""
        sql = self._pages_sql(has_limits=False)
        for number in numbers:
            parameters = {**self._parameters(number - 1), "last": number, "local": 0}
            yield from map(_page_row, self._connection.execute(sql, parameters))

    def page_keys(self) -> Iterator[tuple[int, int, float | None]]:
        """Yield (page number, host number, time of the last visit) for each selected page."""
        changed = _CHANGED if self.selection.changed_since else ""
        rows = self._connection.execute(_KEYS.format(changed=changed), self._parameters(-1))
        return (row for row in rows if row[0] not in self.selection.without)

    def _pages_sql(self, *, has_limits: bool = True) -> str:
        with_text = self.selection.with_text
        return _PAGES.format(
            columns=select_list(PageRow._fields, **(_PAGE_COLUMNS if with_text else _WITHOUT_TEXT)),
            content="LEFT JOIN content ON content.page = page.id" if with_text else "",
            changed=_CHANGED if has_limits and self.selection.changed_since else "",
        )

    def _parameters(self, after: int) -> dict[str, Any]:
        return {
            "after": after,
            "last": self._last,
            "local": int(self.selection.local_only),
            "estimator": self.selection.estimator,
            "limit": _TEXTS_AT_ONCE if self.selection.with_text else _PAGES_AT_ONCE,
            "since": self.selection.changed_since,
        }

    def fetched_urls(self) -> Iterator[tuple[int, str]]:
        """Yield (page number, URL) for each fetched page that is not left out, whether it has changed or not."""
        after = -1
        while True:
            parameters = {
                "after": after,
                "last": self._last,
                "local": int(self.selection.local_only),
                "limit": _PAGES_AT_ONCE,
            }
            rows = self._connection.execute(_FETCHED_URLS, parameters).fetchall()
            if not rows:
                return
            yield from (row for row in rows if row[0] not in self.selection.without)
            after = rows[-1][0]

    def records(self) -> Iterator[list[dict[str, Any]]]:
        """Yield the records of the selected table, by page, with RECORD_FIELDS and all columns; None if missing."""
        page, number = -1, 0
        names = [column.name for column in self.selection.columns]
        while True:
            rows = self._connection.execute(
                _RECORDS,
                {
                    "name": self.selection.table,
                    "page": page,
                    "number": number,
                    "last": self._last,
                    "local": int(self.selection.local_only),
                    "limit": _RECORDS_AT_ONCE,
                },
            ).fetchall()
            if not rows:
                return
            without = self.selection.without
            yield [_record(url, record, fields, names) for page, record, url, fields in rows if page not in without]
            page, number = rows[-1][:2]
            self._report(page + 1, self._last + 1)

    def links(self) -> Iterator[list[LinkRow]]:
        """Yield the links by source, target and kind."""
        sql = _LINKS.format(columns=select_list(LinkRow._fields, **_LINK_COLUMNS))
        source, target, kind = -1, -1, -1
        while True:
            parameters = {
                "source": source,
                "target": target,
                "kind": kind,
                "last": self._last,
                "local": int(self.selection.local_only),
                "limit": _LINKS_AT_ONCE,
            }
            rows = self._connection.execute(sql, parameters).fetchall()
            if not rows:
                return
            links = [
                LinkRow(
                    source_page=page,
                    target_page=other,
                    source=url,
                    target=other_url,
                    kind=name,
                    nofollow=bool(nofollow),
                    anchor=anchor,
                    leaves_host=bool(leaves),
                    target_is_local=bool(to_local),
                )
                for page, other, url, other_url, name, nofollow, anchor, leaves, to_local, _ in rows
            ]
            yield links
            source, target, kind = links[-1].source_page, links[-1].target_page, rows[-1][-1]
            self._report(source + 1, self._last + 1)

    def edges(self) -> Iterator[LinkRow]:
        """Yield one link for each pair of linked pages.

        It stands for all links from the first page to the second: it has their kinds, joined by commas, and the first
        anchor text. It is nofollow if all these links are nofollow.
        """
        last: LinkRow | None = None
        for batch in self.links():
            for link in batch:
                if last is not None and (last.source_page, last.target_page) == link[:2]:
                    last = last._replace(
                        kind=f"{last.kind},{link.kind}",
                        nofollow=last.nofollow and link.nofollow,
                        anchor=last.anchor or link.anchor,
                    )
                    continue
                if last is not None:
                    yield last
                last = link
        if last is not None:
            yield last


def headings_of(page: PageRow) -> list[str]:
    """Return the texts of the page's headings."""
    return [text for _, text, *_ in json.loads(page.headings or "[]")]


def utc(epoch_seconds: float) -> str:
    """Return a time in ISO 8601 with milliseconds, in UTC."""
    return f"{datetime.fromtimestamp(epoch_seconds, UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"


_UNSEEN = re.compile("[\x7f-\x9f\u2028\u2029]")


def json_line(value: object) -> bytes:
    """Return one line of JSON.

    Characters that a terminal might obey, or that a reader might take for the end of the line, are escaped.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8", "replace") + b"\n"


def _record(url: str, number: int, fields: str, names: Sequence[str]) -> dict[str, Any]:
    found = json.loads(fields)
    return {"url": url, "record": number, **{name: found.get(name) for name in names}}


def _page_row(row: Iterable[Any]) -> PageRow:
    page = PageRow._make(row)
    return page._replace(
        is_local=bool(page.is_local),
        is_noindex=bool(page.is_noindex),
        is_nofollow=bool(page.is_nofollow),
        body_hash=page.body_hash or None,
        canonical_is_fetched=bool(page.canonical_is_fetched),
        text=None if page.text is None else unpacked(cast(bytes, page.text)),
    )
