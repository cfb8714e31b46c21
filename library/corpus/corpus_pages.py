"""The pages of a store as Markdown blocks, for exports.

Worker processes read the pages, so a page that crashes its reader does not end the export.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from posixpath import dirname, relpath
from typing import Final, Protocol
from urllib.parse import quote

from hinterland.crawler.parsing.markdown.markdown_blocks import MarkdownBlock
from hinterland.crawler.parsing.markdown.stored_page import PageSource, stored_page_blocks, text_blocks_as_markdown
from hinterland.crawler.parsing.pool.reading_in_order import read_in_order
from hinterland.storage.exports.source import ExportSource, PageRow
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.compression import DamagedFrame

_BATCH: Final = 16
NOT_INDEXABLE: Final = "noindex, or another page is the canonical one"
_NO_TEXT: Final = "no text"
_DAMAGED: Final = "stored content is damaged"
_FROM_TEXT: Final = "the body, which cannot be read: the stored text was taken"


@dataclass(frozen=True, slots=True)
class PageToRead:
    """What a worker process needs to read a page.

    `file` is the page's own file in the export. `files` maps URLs to files of the export: links to these URLs lead to
    the files instead.
    """

    source: PageSource
    is_whole: bool = False
    file: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    def destination(self, url: str, href: str) -> str:
        """Return where a link shall lead: to a file of the export if it has the page, otherwise to the web."""
        target, hash_, fragment = url.partition("#")
        if (file := self.files.get(target)) is None:
            return url
        return quote(relpath(file, dirname(self.file) or "."), safe="/~+@=,()'!") + hash_ + fragment


@dataclass(frozen=True, slots=True)
class CorpusPage:
    """A page of a corpus, with its Markdown."""

    row: PageRow
    blocks: Sequence[MarkdownBlock]
    file: str = ""


class Files(Protocol):
    """Knows to which files of an export the links of a page lead."""

    def file(self, url: str) -> str:
        """Return the path of a page's file in the export."""
        ...

    def linked(self, page: int) -> Mapping[str, str]:
        """Return the files of the pages to which a page links, by URL."""
        ...


@dataclass(slots=True)
class Counts:
    """How many pages an export left out, by the reason in words. Mutable."""

    left_out: Counter[str] = field(default_factory=Counter)


def corpus_rows(source: ExportSource, counts: Counts) -> Iterator[PageRow]:
    """Yield the fetched pages that belong in a corpus, and count the pages that do not."""
    for rows in source.pages():
        for row in rows:
            if row.outcome == "fetched":
                if row.is_indexable:
                    yield row
                else:
                    counts.left_out[NOT_INDEXABLE] += 1


def read_pages(
    source: ExportSource,
    rows: Iterable[PageRow],
    counts: Counts,
    files: Files | None = None,
) -> Iterator[CorpusPage]:
    """Yield these pages in the given order, with their Markdown. Pages without text are only counted.

    `files` says which links lead to files of the export.
    """
    is_whole = source.selection.options.get("content") == "all"
    waiting: list[PageRow] = []

    def batches() -> Iterator[list[PageToRead]]:
        rest = iter(rows)
        while batch := list(islice(rest, _BATCH)):
            to_read = []
            for row in batch:
                made = _to_read(source.store, row, counts, files, is_whole=is_whole)
                if made is not None:
                    waiting.append(row)
                    to_read.append(made)
            yield to_read

    failures = Counter[str]()
    processes = max(1, os.cpu_count() or 1)
    for found in read_in_order(batches(), _read, _failed, processes=processes):
        for blocks, has_failed, file in found:
            row = waiting.pop(0)
            failures[_FROM_TEXT] += has_failed
            if blocks:
                yield CorpusPage(row, blocks, file)
            else:
                counts.left_out[_NO_TEXT] += 1
    counts.left_out.update(failures)


def _to_read(
    store: StoreReader, row: PageRow, counts: Counts, files: Files | None, *, is_whole: bool
) -> PageToRead | None:
    try:
        content = store.pages.content(row.page)
    except DamagedFrame:
        counts.left_out[_DAMAGED] += 1
        return None
    if content is None:
        counts.left_out[_NO_TEXT] += 1
        return None
    source = PageSource(row.url, row.content_type, content.body, content.text, content.headings, content.main)
    if files is not None:
        return PageToRead(source, is_whole, files.file(row.url), files.linked(row.page))
    return PageToRead(source, is_whole)


_Read = tuple[list[MarkdownBlock], bool, str]
"""Blocks, whether reading the body failed, and the file."""


def _read(page: PageToRead) -> _Read:
    found = stored_page_blocks(page.source, is_whole=page.is_whole, destination=page.destination)
    return found, False, page.file


def _failed(page: PageToRead) -> _Read:
    main = b"" if page.is_whole else page.source.main
    return text_blocks_as_markdown(page.source.text, page.source.headings, main), True, page.file
