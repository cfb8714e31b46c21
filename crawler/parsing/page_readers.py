"""The interface of page readers: what a feature reads from each page, in the parser processes.

A feature orders its reader by name (FeatureFactory.page_reader). Each parser process makes the reader once. The feature
finds what the reader read from a page in `PageDigest.readings`, under the same name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from hinterland.crawler.parsing.html.html_source import HtmlSource
from hinterland.crawler.parsing.html.parsed_page import ParsedPage, VisibleText


class PageUnreadable(Exception):
    """Raised if a reader fails in such a way that the page counts as failed. The message says how."""


class ReaderOrder(msgspec.Struct, frozen=True, array_like=True):
    """An order for a page reader: the function that makes it, and the data from which it is made.

    `maker` is the "module:function" that returns the PageReader for the bytes `config`. Its module is imported in the
    parser processes only, so it may import what most crawls do not need.
    """

    name: str
    maker: str
    config: bytes = b""


class ReadablePage(NamedTuple):
    """A page as a page reader receives it: its markup, and what the parser has already read from it.

    `source` is HTML even if the page is a document of another kind.
    """

    url: str
    page: ParsedPage
    content: VisibleText
    source: HtmlSource


class PageReader(ABC):
    """Base class of page readers."""

    needs_text = False
    """Whether the reader needs the visible text."""
    needs_paths = False
    """Whether the reader needs the path of elements around each link."""
    needs_parts = False
    """Whether the reader needs the parts of the page, see PageParts."""

    def read_body(self, url: str, body: bytes, content_type: str | None) -> bytes:
        """Return what was read from a decoded body that a feature wants although it is not a page; b"" for nothing."""
        return b""

    @abstractmethod
    def read(self, page: ReadablePage) -> bytes:
        """Return what was read, in the feature's own encoding; b"" for nothing. Raises PageUnreadable."""


class PageReaders:
    """The readers of a crawl, in a parser process."""

    def __init__(self, readers: Sequence[tuple[str, PageReader]]) -> None:
        """Take the readers with their names."""
        self._readers = readers
        self.need_text = any(reader.needs_text for _, reader in readers)
        self.need_paths = any(reader.needs_paths for _, reader in readers)
        self.need_parts = any(reader.needs_parts for _, reader in readers)

    def read_body(self, name: str, url: str, body: bytes, content_type: str | None) -> dict[str, bytes]:
        """Return what one reader read from a body that is not a page."""
        return {each: reader.read_body(url, body, content_type) for each, reader in self._readers if each == name}

    def read(self, page: ReadablePage) -> dict[str, bytes]:
        """Return what each reader read, by its name, without readers that read nothing. Raises PageUnreadable."""
        readings = ((name, reader.read(page)) for name, reader in self._readers)
        return {name: reading for name, reading in readings if reading}
