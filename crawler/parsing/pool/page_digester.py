"""Parses one page in a parser process, where hostile bytes can do no harm to the crawl."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hinterland.crawler.fetching.decoding import (
    ContentDecodingError,
    ContentTooLarge,
    ContentTruncated,
    UnknownContentEncoding,
    decode_content,
    zstd,
)
from hinterland.crawler.fetching.mislabelled_bodies import why_no_page
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.parsing.compiled.element_reader import CompiledReader
from hinterland.crawler.parsing.documents.reading import ConvertedDocument, as_html, kind_of, prepare
from hinterland.crawler.parsing.documents.rendition import UnreadableDocument
from hinterland.crawler.parsing.extraction.extracted import Extracted
from hinterland.crawler.parsing.html.headings import as_stored
from hinterland.crawler.parsing.html.html_source import HtmlSource
from hinterland.crawler.parsing.html.page import parse_page
from hinterland.crawler.parsing.html.page_elements import ElementsReader, read_elements
from hinterland.crawler.parsing.html.parsed_page import ParsedPage
from hinterland.crawler.parsing.html.shell_pages import is_shell, may_be_shell
from hinterland.crawler.parsing.messages import Comparison, EarlierPage, PageDigest, ParserConfig, RawPage
from hinterland.crawler.parsing.page_readers import PageReader, PageReaders, PageUnreadable, ReadablePage, ReaderOrder
from hinterland.crawler.parsing.pool.page_time import half_time
from hinterland.crawler.parsing.text_hashes import text_hashes
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver

if TYPE_CHECKING:
    from hinterland.crawler.parsing.extraction.extractor import Extractor

_ZSTD_LEVEL = 1  # level 3 takes a third more time to save a twentieth of the bytes
_REMEMBERED_HREFS = 50_000  # with 100,000, 19 lookups a page missed instead of 24


class PageDigester:
    """Turns RawPages into PageDigests."""

    def __init__(self, config: ParserConfig) -> None:
        """Prepare everything a parser needs, once for all forked processes."""
        self._config = config
        self._zstd = zstd.ZstdCompressor(level=_ZSTD_LEVEL)
        self._resolver = LinkResolver(
            Canonicaliser(
                max_length=config.max_url_length,
                sort_parameters=config.sort_parameters,
                drop_parameters=config.drop_parameters,
            ),
            max_entries=_REMEMBERED_HREFS,
        )
        self._read = _elements_reader(config.reader)
        self._readers = PageReaders([(order.name, _made(order)) for order in config.page_readers])
        self._extractor = _extractor(config)
        prepare(config.documents)

    def digest(self, raw: RawPage) -> PageDigest:
        """Return what was read from the page, or why it failed."""
        try:
            return self._digest(raw)
        except ContentDecodingError as error:
            return PageDigest(failure=_kind_of(error), detail=str(error))
        except PageUnreadable as error:
            return PageDigest(failure=OutcomeKind.PARSER_CRASH, detail=str(error))
        except MemoryError:
            return self.needs_more_memory()

    def needs_more_memory(self) -> PageDigest:
        """Return the digest of a page that needs more memory than allowed."""
        limit = self._config.max_memory_bytes >> 20
        return PageDigest(failure=OutcomeKind.PARSER_CRASH, detail=f"needs more than {limit} MiB to parse")

    def _digest(self, raw: RawPage) -> PageDigest:
        config, is_late = self._config, half_time(self._config.timeout_seconds)
        body = decode_content(raw.body, raw.content_encoding, config.max_body_bytes)
        if config.extracts_only:
            source = HtmlSource(body, raw.content_type, config.max_tree_bytes)
            return PageDigest(body_bytes=len(body), extracted=self._extracted(source, raw))
        body_hash = hashlib.sha256(body).digest()[:16]
        if raw.only_reader:
            return PageDigest(
                body_bytes=len(body),
                body_hash=body_hash,
                body=self._compressed(body) if config.keep_bodies and raw.keeps_body else None,
                readings=self._readers.read_body(raw.only_reader, raw.url, body, raw.content_type),
            )
        if raw.earlier is not None and raw.earlier.body_hash == body_hash:
            wanted = config.keep_bodies and raw.keeps_body and raw.earlier.lacks_body
            return PageDigest(
                body_bytes=len(body),
                body_hash=body_hash,
                body=self._compressed(body) if wanted else None,
                comparison=Comparison(is_same=True),
            )
        html, content_type, document = body, raw.content_type, None
        if config.documents and (kind := kind_of(raw.content_type, raw.url)) in config.documents:
            try:
                document = as_html(kind, body, raw.content_type, config.max_body_bytes, is_late)
            except UnreadableDocument as error:
                return PageDigest(failure=OutcomeKind.UNREADABLE, detail=str(error), body_bytes=len(body))
            html, content_type = document.html, document.content_type
        elif reason := why_no_page(body, raw.content_type):
            return PageDigest(failure=OutcomeKind.UNREADABLE, detail=reason, body_bytes=len(body))
        source = HtmlSource(html, content_type, config.max_tree_bytes)
        page, content = parse_page(
            source,
            url=raw.url,
            resolver=self._resolver,
            agent=config.agent,
            max_links=config.max_links,
            max_text_bytes=config.max_body_bytes,
            robots_header=raw.robots_tags,
            link_header=raw.link_fields,
            refresh_header=raw.refresh,
            with_text=config.keep_text or raw.interest > 0 or self._readers.need_text or raw.earlier is not None,
            with_paths=self._readers.need_paths,
            with_parts=self._readers.need_parts,
            read=self._read,
        )
        if document is not None:
            page = _of_document(page, document)
        return PageDigest(
            page=page,
            body_bytes=len(body),
            body_hash=body_hash,
            text=self._compressed(content.text) if config.keep_text else None,
            main=content.main if config.keep_text and document is None else b"",
            headings=as_stored(content.headings) if config.keep_text else "[]",
            body=self._compressed(body) if config.keep_bodies and raw.keeps_body else None,
            text_hashes=text_hashes(content.text, body, raw.interest),
            readings=self._readers.read(ReadablePage(raw.url, page, content, source)),
            extracted=[] if document is not None else self._extracted(source, raw),
            is_shell=document is None and may_be_shell(page, body) and is_shell(source.readable),
            comparison=None
            if raw.earlier is None
            else self._compared(raw.earlier, source, content.text, page, raw.url),
        )

    def watch_extraction(self, begins: Callable[[int], None]) -> None:
        """Set a function that is called with the number of each table before its rules are applied; see Extractor."""
        if self._extractor is not None:
            self._extractor.begins = begins

    @property
    def has_hooks(self) -> bool:
        """Whether user hooks run in this process."""
        return bool(self._config.hooks or self._config.hook_objects)

    @property
    def lacks_memory(self) -> bool:
        """Whether a hook ran out of memory, and may still hold what it allocated."""
        return self._extractor is not None and self._extractor.lacks_memory

    def _extracted(self, source: HtmlSource, raw: RawPage) -> list[Extracted]:
        if self._extractor is None or not self._extractor.wants(raw.url):
            return []
        return self._extractor.extract(source.readable, raw.url, raw.without)

    def _compared(
        self, earlier: EarlierPage, source: HtmlSource, text: bytes, page: ParsedPage, url: str
    ) -> Comparison:
        from hinterland.crawler.parsing.changes.comparing import (
            compared,  # not needed by crawls that revisit nothing
        )

        return compared(earlier, source.readable, text, page, url, self._resolver)

    def _compressed(self, data: bytes) -> bytes:
        """Return `data` as one zstd frame. The compressor is kept, so that its tables are set up only once."""
        return self._zstd.compress(data, zstd.ZstdCompressor.FLUSH_FRAME)


def _of_document(page: ParsedPage, document: ConvertedDocument) -> ParsedPage:
    """Return the parsed page of a document, without a charset, which only HTML has."""
    cut = {**page.cut, "pages": document.pages_left_out} if document.pages_left_out else page.cut
    return msgspec.structs.replace(page, charset="", cut=cut)


def _elements_reader(path: str) -> ElementsReader:
    if not path:
        return read_elements
    try:
        return CompiledReader(Path(path))
    except (OSError, AttributeError):  # deleted, or selectolax was replaced, since the crawl began
        return read_elements


def _made(order: ReaderOrder) -> PageReader:
    module, _, function = order.maker.partition(":")
    made: PageReader = getattr(importlib.import_module(module), function)(order.config)
    return made


def _extractor(config: ParserConfig) -> Extractor | None:
    if not config.rules:
        return None
    from hinterland.crawler.parsing.extraction.extractor import Extractor  # most crawls do not need it
    from hinterland.crawler.parsing.extraction.rules import rule_set
    from hinterland.crawler.parsing.pool.hook_loading import loaded_hooks

    return Extractor(rule_set(config.rules), loaded_hooks(config.hooks, config.hook_objects))


def _kind_of(error: ContentDecodingError) -> OutcomeKind:
    match error:
        case ContentTooLarge():
            return OutcomeKind.TOO_LARGE
        case ContentTruncated():
            return OutcomeKind.TRUNCATED
        case UnknownContentEncoding():
            return OutcomeKind.UNKNOWN_ENCODING
        case _:
            return OutcomeKind.CORRUPT
