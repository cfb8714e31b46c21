"""Reads the data of pages that an index needs from the link store."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.search.store.values.documents import NO_PAGE, IndexablePages, PageFacts, RawContent, Redirects
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.reading.subject_queries import select_list
from hinterland.storage.values.allocator import Allocator
from hinterland.storage.values.compression import unpacked

_DIGESTED: Final = (
    "fetch.body_hash, fetch.charset, fetch.language, length(content.text), length(content.body), host.url, content.main"
)
"""What a digest depends on besides its extractor. SQLite can read the length of a long value without reading the value.
The host is included because its templates and languages matter.
"""

_SHOWN: Final = (
    "page.url, host.url, host.site, fetch.title, fetch.description, fetch.started_at, fetch.content_type,"
    " fetch.last_modified, (SELECT CAST(100 * probability AS INTEGER) FROM relevance WHERE page = fetch.page)"
)
_SHOWN_COLUMNS: Final = 9
"""Number of columns that a hit shows or is filtered by, not counting data that is extracted from the content."""

_COLUMNS: Final[dict[str, type[np.generic]]] = {
    "pages": np.int64,
    "hosts": np.int32,
    "canonicals": np.int32,
    "url_lengths": np.int32,
    "is_noindex": np.bool_,
    "url_languages": np.uint16,
    "url_rests": np.uint32,
    "shown": np.uint64,
    "contents": np.uint64,
    "digest_keys": np.uint64,
}
"""The columns of IndexablePages."""
_ROWS: Final = 5_000

_FACTS: Final = select_list(
    (field.name for field in fields(PageFacts)),
    page="page.id",
    url="page.url",
    host="host.url",
    site="host.site",
    title="coalesce(fetch.title, '')",
    description="coalesce(fetch.description, '')",
    headings="coalesce(content.headings, '[]')",
    fetched_at="fetch.started_at",
    content_type="coalesce(fetch.content_type, '')",
    last_modified="coalesce(fetch.last_modified, '')",
    relevance="(SELECT probability FROM relevance WHERE page = fetch.page)",
    full_text="content.text",
)


class CrawledPages:
    """Queries on the pages of a store.

    Contents are read in batches. Usable while the reader is open.
    """

    def __init__(self, reader: StoreReader) -> None:
        """Start with an open reader of the link store."""
        self._reader = reader
        self._connection = reader.connection

    def indexable(
        self,
        extractor: str,
        named_language: Callable[[str], tuple[int, int]],
        *,
        with_outside: bool,
        least_relevance: float = 0.0,
        unlisted: Container[int] = frozenset(),
        zeros: Allocator = np.zeros,
    ) -> IndexablePages:
        """Return every fetched HTML page of the local domain and, with `with_outside`, of its hinterland.

        `least_relevance` is the minimum probability with which a page is about the topic of the crawl. `extractor`
        identifies the program that makes digests, since the key of a digest depends on it as well as on the content.
        `named_language` returns the number of the language that a URL names, and a hash of the rest of the URL.
        `unlisted` are pages that count as noindex even if they do not say so.
        """
        sql = (
            "SELECT page.id, page.host, coalesce(fetch.canonical, ?), length(page.url), fetch.is_noindex,"
            f" {_SHOWN}, {_DIGESTED} FROM fetch JOIN page ON page.id = fetch.page"
            " JOIN host ON host.id = page.host LEFT JOIN content ON content.page = fetch.page"
            " WHERE fetch.outcome = 'fetched' AND (page.is_local OR ?)"
            " AND (? <= 0 OR page.id IN (SELECT page FROM relevance WHERE probability >= ?)) ORDER BY page.id"
        )

        def row(page: int, host: int, canonical: int, length: int, is_noindex: bool, *known: Any) -> tuple[int, ...]:
            visible, (body_hash, *how) = known[:_SHOWN_COLUMNS], known[_SHOWN_COLUMNS:]
            content = int.from_bytes((body_hash or b"")[:8], "little")
            key = _hashed((extractor, body_hash, *how))
            named = named_language(visible[0])
            is_unlisted = is_noindex or page in unlisted
            return page, host, canonical, length, is_unlisted, *named, _hashed(tuple(visible)), content, key

        with self._of_one_moment() as visits:
            asked = self._connection.execute(sql, (NO_PAGE, with_outside, least_relevance, least_relevance))
            return IndexablePages(**_columns((row(*each) for each in asked), _COLUMNS, visits, zeros))

    def redirects(self, zeros: Allocator = np.zeros) -> Redirects:
        """Return all redirects, one hop each, with ascending sources."""
        columns = {"sources": np.int64, "ends": np.int64, "urls": np.uint64}
        with self._of_one_moment() as visits:
            asked = self._connection.execute(
                "SELECT fetch.page, redirect_target, page.url FROM fetch JOIN page ON page.id = fetch.page"
                " WHERE redirect_target IS NOT NULL ORDER BY fetch.page"
            )
            rows = ((source, target, _hashed(url)) for source, target, url in asked)
            return Redirects(**_columns(rows, columns, visits, zeros))

    @contextmanager
    def _of_one_moment(self) -> Iterator[int]:
        """Let all queries in the with block read the same snapshot of the store; yield the number of visited pages."""
        self._connection.execute("BEGIN")
        try:
            [(visits,)] = self._connection.execute("SELECT count(*) FROM fetch")
            yield visits
        finally:
            self._connection.execute("ROLLBACK")

    def contents(self, pages: Sequence[int], extractor: str) -> list[RawContent]:
        """Return the inputs of the digests of these pages, in the order of the pages.

        `extractor` is explained in `indexable`.
        """
        found = self._by_page(
            "SELECT fetch.page, page.host, page.url, fetch.charset, coalesce(fetch.language, ''), content.text,"
            # A document other than HTML, such as a PDF, has no charset; its content is in its text.
            f" iif(fetch.charset IS NULL, NULL, content.body), fetch.content_type, content.main,"
            f" coalesce(content.headings, '[]'), {_DIGESTED}"
            " FROM fetch JOIN page ON page.id = fetch.page"
            " JOIN host ON host.id = page.host LEFT JOIN content ON content.page = fetch.page"
            " WHERE fetch.page IN",
            pages,
        )
        return [_raw_content(found[page], extractor) for page in pages if page in found]

    def facts(self, pages: Sequence[int]) -> list[PageFacts]:
        """Return the facts about these pages, in the order of the pages."""
        found = self._by_page(
            f"SELECT {_FACTS} FROM page JOIN host ON host.id = page.host JOIN fetch ON fetch.page = page.id"
            " LEFT JOIN content ON content.page = page.id WHERE page.id IN",
            pages,
        )
        return [PageFacts(*found[page]) for page in pages if page in found]

    def titles(self) -> Iterator[tuple[int, str]]:
        """Yield (page, title) of all pages with a title."""
        yield from self._connection.execute("SELECT page, title FROM fetch WHERE title <> '' ORDER BY page")

    def headings(self) -> Iterator[tuple[int, str]]:
        """Yield (page, JSON list of [level, text]) of all pages with headings."""
        yield from self._connection.execute("SELECT page, headings FROM content WHERE headings <> '[]' ORDER BY page")

    def visible_texts(self, pages: Sequence[int]) -> list[str]:
        """Return the visible text of each page that has one, in the order of the pages."""
        found = self._by_page("SELECT page, text FROM content WHERE text IS NOT NULL AND page IN", pages)
        texts = dict(found.values())
        return [unpacked(texts[page]) for page in pages if page in texts]

    def urls(self, pages: Sequence[int]) -> dict[int, str]:
        """Return the URL of each page."""
        return self._reader.pages.urls_of(pages)

    def _by_page(self, select: str, pages: Sequence[int]) -> dict[int, Any]:
        """Return the row of each page; the page is in the first column."""
        marks = ",".join(map(str, map(int, pages)))
        return {row[0]: row for row in self._connection.execute(f"{select} ({marks})")}


def _columns(
    rows: Iterator[tuple[int, ...]], kinds: Mapping[str, type[np.generic]], most: int, zeros: Allocator
) -> dict[str, NDArray[Any]]:
    """Return the columns by name; `most` bounds the number of rows."""
    found = {name: zeros(most, kind) for name, kind in kinds.items()}
    size = 0
    while part := list(islice(rows, _ROWS)):
        for (name, kind), numbers in zip(kinds.items(), zip(*part, strict=True), strict=True):
            found[name][size : size + len(part)] = np.array(numbers, kind)
        size += len(part)
    return {name: column[:size] for name, column in found.items()}


def _raw_content(row: Sequence[Any], extractor: str) -> RawContent:
    page, host, url, charset, language, text, body, content_type, main, headings, *digested = row
    return RawContent(
        page=page,
        host=host,
        key=_hashed((extractor, *digested)),
        url=url,
        charset=charset,
        language=language,
        text=text,
        body=body,
        content_type=content_type,
        main=main,
        headings=headings,
    )


def _hashed(value: object) -> int:
    """Return a 64-bit hash."""
    return int.from_bytes(hashlib.blake2b(repr(value).encode(), digest_size=8).digest(), "little")
