"""Reads a sitemap or feed while it arrives, within limits: takes chunks of bytes, and returns entries.

  reader = SitemapReader(content_type)
  for chunk in body:
      entries = reader.feed(chunk)
      if reader.is_finished:
          break
  entries = reader.close()
  reader.reading                  # its form, how it ended, how much there was

The format is detected from the content, since suffixes and media types are too often wrong. Supported are urlset,
sitemapindex and text (sitemaps.org), RSS 0.9x to 2.0, RSS 1.0 (RDF), Atom 0.3 and 1.0, each also as gzip.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hinterland.crawler.features.sitemaps.decoding import Decoder
from hinterland.crawler.features.sitemaps.entries import (
    DEFAULT_BOUNDS,
    ReadingEnds,
    SitemapBounds,
    SitemapEntry,
    SitemapForm,
    SitemapOutcome,
    SitemapReading,
)
from hinterland.crawler.features.sitemaps.text_entries import TextEntries
from hinterland.crawler.features.sitemaps.unpacking import Unpacker
from hinterland.crawler.features.sitemaps.xml_entries import XmlEntries


class SitemapReader:
    """Reads one sitemap. Mutable. The result does not depend on how the bytes are cut into chunks."""

    def __init__(self, content_type: str | None = None, bounds: SitemapBounds = DEFAULT_BOUNDS, url: str = "") -> None:
        """Read a body that was fetched from `url`.

        `content_type` is the header field, of which only the charset is used.
        """
        self._url = url
        self._bounds = bounds
        self._unpacker = Unpacker(bounds)
        self._decoder = Decoder(content_type)
        self._entries: XmlEntries | TextEntries | None = None
        self._count = 0
        self._end: ReadingEnds | None = None

    @property
    def is_finished(self) -> bool:
        """Whether the reading has ended, so that further chunks would be ignored."""
        return self._end is not None

    @property
    def reading(self) -> SitemapReading:
        """The progress of the reading, or how it ended."""
        end = self._end or ReadingEnds(SitemapOutcome.TRUNCATED)
        left_out = 0 if self._entries is None else self._entries.left_out
        return SitemapReading(self._form, end.outcome, self._count, left_out, self._unpacker.bytes, end.detail)

    def feed(self, chunk: bytes) -> list[SitemapEntry]:
        """Read the next chunk; return the entries that are complete now."""
        return self._read(self._unpacker.add(chunk))

    def close(self) -> list[SitemapEntry]:
        """End the reading after the last chunk; return the last entries."""
        return self._read(self._finish())

    @property
    def _form(self) -> SitemapForm:
        match self._entries:
            case XmlEntries(form=form):
                return form
            case TextEntries() if self._count:
                return SitemapForm.TEXT
        return SitemapForm.UNKNOWN

    def _read(self, blocks: Iterator[bytes]) -> list[SitemapEntry]:
        found: list[SitemapEntry] = []
        try:
            while self._end is None and (block := next(blocks, None)) is not None:
                self._take(self._decoder.decode(block))
                found += self._handed_out()
        except ReadingEnds as end:
            self._end = end
            if self._entries is not None:
                self._entries.flush()
            found += self._handed_out()
        return found

    def _take(self, text: str) -> None:
        if self._entries is None:
            text = text.lstrip()
            if not text:
                return
            is_xml = text.startswith("<")
            self._entries = XmlEntries(self._bounds, self._url) if is_xml else TextEntries(self._bounds)
        self._entries.add(text)
        if self._entries.is_over:
            raise self._read_to_the_end()

    def _finish(self) -> Iterator[bytes]:
        """Yield the last blocks, then end the reading."""
        yield from self._unpacker.finish()
        self._take(self._decoder.decode(b"", is_last=True))
        if self._entries is None:
            raise ReadingEnds(SitemapOutcome.EMPTY)
        self._entries.finish()
        raise self._read_to_the_end()

    def _read_to_the_end(self) -> ReadingEnds:
        if self._decoder.has_failed:
            return ReadingEnds(SitemapOutcome.WRONG_ENCODING)
        if isinstance(self._entries, XmlEntries) and self._entries.declares_entities:
            return ReadingEnds(SitemapOutcome.DECLARES, "entities, in its DTD")
        return ReadingEnds(SitemapOutcome.WHOLE)

    def _handed_out(self) -> list[SitemapEntry]:
        """Return the entries found since the last call, up to the limit of entries in all."""
        if self._entries is None:
            return []
        found, self._entries.found = self._entries.found, []
        room = self._bounds.max_entries - self._count
        if len(found) + self._entries.left_out > room:
            self._end = ReadingEnds(SitemapOutcome.TOO_MANY_ENTRIES, f"more than {self._bounds.max_entries:,}")
        self._count += min(len(found), room)
        return found[:room]


def read_sitemap(
    body: Iterable[bytes], content_type: str | None = None, bounds: SitemapBounds = DEFAULT_BOUNDS
) -> tuple[list[SitemapEntry], SitemapReading]:
    """Return all entries of a body that is given in chunks, and how the reading ended."""
    reader = SitemapReader(content_type, bounds)
    entries: list[SitemapEntry] = []
    for chunk in body:
        entries += reader.feed(chunk)
        if reader.is_finished:
            break
    entries += reader.close()
    return entries, reader.reading
