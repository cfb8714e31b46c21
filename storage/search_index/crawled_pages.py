"""What the link store knows of the pages that an index is made of."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import Any, Final

import numpy as np

from storage.reading.part import select_list
from storage.reading.reader import StoreReader
from storage.search_index.values.documents import NO_PAGE, IndexablePages, PageFacts, RawContent, Redirects
from storage.values.compression import unpacked

_DIGESTED: Final = (
    "fetch.body_hash, fetch.charset, fetch.language, length(content.text), length(content.body), host.url"
)
"""What a digest depends on besides its extractor: SQLite tells lengths without reading what is that long. The host
counts for its templates and languages."""

_SHOWN: Final = (
    "page.url, host.url, host.site, fetch.title, fetch.description, fetch.started_at, fetch.content_type,"
    " fetch.last_modified, (SELECT CAST(100 * probability AS INTEGER) FROM relevance WHERE page = fetch.page)"
)
_SHOWN_COLUMNS: Final = 9
"""What a hit shows or is filtered by, besides what is read out of the content."""

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
    """Asks a reader, in portions where it is of contents: good as long as the reader is."""

    def __init__(self, reader: StoreReader) -> None:
        self._reader = reader
        self._connection = reader.connection

    def indexable(
        self,
        extractor: str,
        named_language: Callable[[str], tuple[int, int]],
        *,
        with_outside: bool,
        least_relevance: float = 0.0,
    ) -> IndexablePages:
        """Every fetched HTML page; of the local domain, or also of its hinterland. least_relevance: of those only that
        are at least as likely about the topic of the crawl.

        extractor: what makes digests; another one has other keys for the same content. named_language: the number of
        the language that a URL names, and a hash of the rest of the URL.
        """
        rows = self._connection.execute(
            "SELECT page.id, page.host, coalesce(fetch.canonical, ?), length(page.url), fetch.is_noindex,"
            f" {_SHOWN}, {_DIGESTED} FROM fetch JOIN page ON page.id = fetch.page"
            " JOIN host ON host.id = page.host LEFT JOIN content ON content.page = fetch.page"
            " WHERE fetch.outcome = 'fetched' AND (page.is_local OR ?)"
            " AND (? <= 0 OR page.id IN (SELECT page FROM relevance WHERE probability >= ?)) ORDER BY page.id",
            (NO_PAGE, with_outside, least_relevance, least_relevance),
        )
        pages, hosts, canonicals, url_lengths, flags = array("q"), array("i"), array("i"), array("i"), bytearray()
        shown, contents, keys = array("Q"), array("Q"), array("Q")
        languages, rests = array("H"), array("I")
        for page, host, canonical, url_length, is_noindex, *known in rows:
            visible, (body_hash, *how) = known[:_SHOWN_COLUMNS], known[_SHOWN_COLUMNS:]
            pages.append(page)
            hosts.append(host)
            canonicals.append(canonical)
            url_lengths.append(url_length)
            flags.append(is_noindex)
            language, rest = named_language(visible[0])
            languages.append(language)
            rests.append(rest)
            shown.append(_hashed(tuple(visible)))
            contents.append(int.from_bytes((body_hash or b"")[:8], "little"))
            keys.append(_hashed((extractor, body_hash, *how)))
        return IndexablePages(
            pages=np.frombuffer(pages, np.int64),
            shown=np.frombuffer(shown, np.uint64),
            hosts=np.frombuffer(hosts, np.int32),
            canonicals=np.frombuffer(canonicals, np.int32),
            contents=np.frombuffer(contents, np.uint64),
            digest_keys=np.frombuffer(keys, np.uint64),
            url_lengths=np.frombuffer(url_lengths, np.int32),
            url_languages=np.frombuffer(languages, np.uint16),
            url_rests=np.frombuffer(rests, np.uint32),
            is_noindex=np.frombuffer(flags, np.bool_),
        )

    def redirects(self) -> Redirects:
        """All of them, one hop each."""
        sources, targets, urls = array("q"), array("q"), array("Q")
        for source, target, url in self._connection.execute(
            "SELECT fetch.page, redirect_target, page.url FROM fetch JOIN page ON page.id = fetch.page"
            " WHERE redirect_target IS NOT NULL ORDER BY fetch.page"
        ):
            sources.append(source)
            targets.append(target)
            urls.append(_hashed(url))
        return Redirects(
            np.frombuffer(sources, np.int64), np.frombuffer(targets, np.int64), np.frombuffer(urls, np.uint64)
        )

    def contents(self, pages: Sequence[int], extractor: str) -> list[RawContent]:
        """What digests of these pages are made from, in the order of the pages. extractor: as for `indexable`."""
        found = self._by_page(
            "SELECT fetch.page, page.host, page.url, fetch.charset, coalesce(fetch.language, ''), content.text,"
            # A document that is no HTML, such as a PDF, has no charset: what it says is in its text.
            f" iif(fetch.charset IS NULL, NULL, content.body), {_DIGESTED} FROM fetch JOIN page ON page.id = fetch.page"
            " JOIN host ON host.id = page.host LEFT JOIN content ON content.page = fetch.page"
            " WHERE fetch.page IN",
            pages,
        )
        return [_raw_content(found[page], extractor) for page in pages if page in found]

    def facts(self, pages: Sequence[int]) -> list[PageFacts]:
        """In the order of the pages."""
        found = self._by_page(
            f"SELECT {_FACTS} FROM page JOIN host ON host.id = page.host JOIN fetch ON fetch.page = page.id"
            " LEFT JOIN content ON content.page = page.id WHERE page.id IN",
            pages,
        )
        return [PageFacts(*found[page]) for page in pages if page in found]

    def titles(self) -> Iterator[tuple[int, str]]:
        """(page, title) of all pages that have one."""
        yield from self._connection.execute("SELECT page, title FROM fetch WHERE title <> '' ORDER BY page")

    def headings(self) -> Iterator[tuple[int, str]]:
        """(page, JSON list of [level, text]) of all pages that have any."""
        yield from self._connection.execute("SELECT page, headings FROM content WHERE headings <> '[]' ORDER BY page")

    def visible_texts(self, pages: Sequence[int]) -> list[str]:
        """Of those pages that have any, in the order of the pages."""
        found = self._by_page("SELECT page, text FROM content WHERE text IS NOT NULL AND page IN", pages)
        texts = dict(found.values())
        return [unpacked(texts[page]) for page in pages if page in texts]

    def urls(self, pages: Sequence[int]) -> dict[int, str]:
        return self._reader.pages.urls_of(pages)

    def _by_page(self, select: str, pages: Sequence[int]) -> dict[int, Any]:
        """Page -> its row; the page is in the first column."""
        marks = ",".join(map(str, map(int, pages)))
        return {row[0]: row for row in self._connection.execute(f"{select} ({marks})")}


def _raw_content(row: Sequence[Any], extractor: str) -> RawContent:
    page, host, url, charset, language, text, body, *digested = row
    return RawContent(
        page=page,
        host=host,
        key=_hashed((extractor, *digested)),
        url=url,
        charset=charset,
        language=language,
        text=text,
        body=body,
    )


def _hashed(value: object) -> int:
    """64 bits."""
    return int.from_bytes(hashlib.blake2b(repr(value).encode(), digest_size=8).digest(), "little")
