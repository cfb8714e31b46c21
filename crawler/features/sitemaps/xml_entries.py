"""Reads the entries of a sitemap or feed in XML, with expat.

Elements are recognised by their names as written, with prefixes, because half of the sitemaps with extensions do not
declare their namespaces, or declare versions that the reader does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.parsers import expat

from hinterland.crawler.features.sitemaps.dates import epoch_seconds
from hinterland.crawler.features.sitemaps.entries import (
    EntryKind,
    ReadingEnds,
    SitemapBounds,
    SitemapEntry,
    SitemapForm,
    SitemapOutcome,
)
from hinterland.crawler.features.sitemaps.xml_repair import XmlRepairer
from hinterland.crawler.urls.canonical import join

_MAX_DEPTH: Final = 64
_MAX_NAMES: Final = 5_000
_MAX_ELEMENTS: Final = 2_000_000
"""The most elements in a document. Each costs a microsecond; in real sitemaps an element has at least 25 bytes."""
_MAX_TAG_BYTES: Final = 1 << 18
"""The longest tag, comment or declaration. It is limited because expat scans an unfinished one again with each new
piece.
"""
_LOOSE: Final = "loose"

_FORMS: Final = {
    "urlset": SitemapForm.URLSET,
    "sitemapindex": SitemapForm.INDEX,
    "rss": SitemapForm.RSS,
    "feed": SitemapForm.ATOM,
    "rdf": SitemapForm.RDF,
}
_SITEMAP_ITEMS: Final = {"url": EntryKind.PAGE, "sitemap": EntryKind.SITEMAP}
_ITEMS: Final = {
    SitemapForm.URLSET: _SITEMAP_ITEMS,
    SitemapForm.INDEX: _SITEMAP_ITEMS,  # some sites have both in one
    SitemapForm.RSS: {"item": EntryKind.ARTICLE},
    SitemapForm.ATOM: {"entry": EntryKind.ARTICLE},
    SitemapForm.RDF: {"item": EntryKind.ARTICLE},
}
_LONGEST_END: Final = 64
"""The most bytes of an end tag."""
_SITEMAP_FIELDS: Final = {"loc": "url", "lastmod": "modified"}
_FEED_FIELDS: Final = {
    "link": "url",
    "guid": "id",
    "id": "id",
    "updated": "modified",
    "modified": "modified",
    "atom:updated": "modified",
    "dcterms:modified": "modified",
    "pubdate": "published",
    "published": "published",
    "issued": "published",
    "dc:date": "published",
    "dcterms:issued": "published",
}
_URL: Final = re.compile(r"https?://\S", re.IGNORECASE)
_BREAKS: Final = re.compile(r"[\t\r\n]+[ \t\r\n]*")
_HTML: Final = re.compile(
    r"\s*(?:<\?[^>]*>\s*)*<(?:!doctype\s+html\b|(?:html|head|body|meta|script)[\s>])", re.IGNORECASE
)


class XmlEntries:
    """Takes text and appends the entries in it to `found`, which the caller empties. Mutable."""

    def __init__(self, bounds: SitemapBounds, url: str = "") -> None:
        """Read the document at `url`, which is used only to resolve a relative xml:base."""
        self._url = url
        self._bases: list[tuple[int, str]] = []  # depth of an element with an xml:base, and that base, resolved
        self.found: list[SitemapEntry] = []
        self.form = SitemapForm.UNKNOWN
        self.left_out = 0
        self.declares_entities = False
        self.is_over = False
        """Whether the document has ended, so that further text is ignored."""
        self._longest = bounds.max_url_characters
        self._repairer = XmlRepairer()
        self._bytes = 0
        self._last = b""
        self._depth = 0
        self._elements = 0
        self._prefix = ""
        self._items: dict[str, EntryKind] = {}
        self._fields: dict[str, str] = {}
        self._item: _Item | None = None
        self._field = ""
        self._field_depth = 0
        self._text: list[str] = []
        self._room = 0
        self._names: dict[str, str] = {}
        self._parser = self._made_parser()

    def _made_parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate("utf-8", intern=self._names)
        parser.buffer_text = True
        parser.specified_attributes = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._entity
        parser.AttlistDeclHandler = self._attributes
        return parser

    # ---------------------------------------------------------------- text in

    def add(self, text: str) -> None:
        """Read the next piece of text. Raises ReadingEnds."""
        self._add(self._repairer.repair(text))

    def _add(self, repaired: str) -> None:
        if self._bytes == 0 and _HTML.match(repaired):
            raise ReadingEnds(SitemapOutcome.HTML)
        try:
            self._parse(repaired.encode())
        except expat.ExpatError as error:
            if not self.is_over:
                raise ReadingEnds(SitemapOutcome.NOT_WELL_FORMED, str(error)) from None

    def finish(self) -> None:
        """End the document. Raises ReadingEnds if it is incomplete."""
        self._add(self._repairer.rest())
        if self.is_over:
            return
        try:
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            unclosed = self._bytes - self._parser.CurrentByteIndex
            if self._last[-unclosed:].startswith(b"</") and self._field and self._depth == self._field_depth:
                self._finish_field()  # its text is complete: only the tag that ends it broke off
            raise ReadingEnds(SitemapOutcome.TRUNCATED, str(error)) from None

    def _parse(self, data: bytes) -> None:
        self._bytes += len(data)
        self._last = (self._last + data)[-_LONGEST_END:]
        self._parser.Parse(data, False)
        if self._elements + self._repairer.count > _MAX_ELEMENTS:
            raise ReadingEnds(SitemapOutcome.TOO_MANY_ELEMENTS, f"more than {_MAX_ELEMENTS:,}")
        if self._bytes - self._parser.CurrentByteIndex > _MAX_TAG_BYTES:
            raise ReadingEnds(SitemapOutcome.TAG_TOO_LONG, f"more than {_MAX_TAG_BYTES:,} bytes")
        if len(self._names) > _MAX_NAMES:
            raise ReadingEnds(
                SitemapOutcome.TOO_MANY_NAMES,
                f"over {_MAX_NAMES:,} different names of elements and attributes, which is the limit",
            )

    def flush(self) -> None:
        """Append the unfinished entry if it has a complete URL."""
        if self._item is not None:
            self._item.values.pop(_LOOSE, None)
            self._emit(self._item, counts_missing=False)
            self._item = None

    # ---------------------------------------------------------------- events from expat

    def _doctype(self, name: str, system: str | None, public: str | None, has_subset: int) -> None:
        if name.lower() == "html":
            raise ReadingEnds(SitemapOutcome.HTML)

    def _entity(self, *_: object) -> None:
        self.declares_entities = True

    def _attributes(self, *_: object) -> None:
        # Every element would cost as much as there are attributes declared for it: in 50 MB up to 10¹¹.
        raise ReadingEnds(SitemapOutcome.DECLARES, "attributes, in its DTD")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._elements += 1
        if self._depth > _MAX_DEPTH:
            raise ReadingEnds(SitemapOutcome.TOO_DEEP, f"elements nested more than {_MAX_DEPTH} deep")
        if "xml:base" in attributes:
            self._begin_base(attributes["xml:base"])
        own = self._own_name(name)
        if self._depth == 1:
            self._root(name)
        elif self._item is None:
            if own in self._items:
                self._item = _Item(self._items[own], self._depth)
                if self.form is SitemapForm.RDF:
                    self._item.values["id"] = self._resolved(attributes.get("rdf:about", ""))
                elif self._items is _SITEMAP_ITEMS:
                    self._read(_LOOSE, self._depth)
        elif self._depth == self._item.depth + 1:
            if self._field:
                self._finish_field()
            self._start_field(own, attributes)
        elif self._item.is_news and own.rpartition(":")[2] == "publication_date":
            self._read("published", self._depth)

    def _root(self, name: str) -> None:
        prefix, _, local = name.lower().rpartition(":")
        self._prefix = f"{prefix}:" if prefix else ""
        self.form = _FORMS.get(local, SitemapForm.UNKNOWN)
        if self.form is SitemapForm.UNKNOWN:
            raise ReadingEnds(SitemapOutcome.NO_SITEMAP, f"its root is <{name[:100]}>")
        self._items = _ITEMS[self.form]
        self._fields = _SITEMAP_FIELDS if self._items is _SITEMAP_ITEMS else _FEED_FIELDS

    def _start_field(self, own: str, attributes: dict[str, str]) -> None:
        assert self._item is not None
        field = self._fields.get(own, "")
        if own.endswith(":news") and self._items is _SITEMAP_ITEMS:
            self._item.what, self._item.is_news = EntryKind.ARTICLE, True
        elif field == "url" and "href" in attributes:
            if attributes.get("rel", "alternate").lower() == "alternate":
                self._item.values.setdefault("url", self._resolved(attributes["href"]))
        elif own == "content" and "src" in attributes and self.form is SitemapForm.ATOM:
            self._item.values.setdefault("content", self._resolved(attributes["src"]))
        elif field:
            self._read(field, self._depth)

    def _end(self, name: str) -> None:
        if self._field and self._depth == self._field_depth:
            self._finish_field()
        if self._item is not None and self._depth == self._item.depth:
            item, self._item = self._item, None
            self._emit(item, counts_missing=True)
        if self._bases and self._bases[-1][0] == self._depth:
            self._bases.pop()
        self._depth -= 1
        self.is_over = self._depth == 0

    def _own_name(self, name: str) -> str:
        """Return the name of an element in lower case, without the prefix of the root element."""
        return name.lower().removeprefix(self._prefix)

    # ---------------------------------------------------------------- what URLs are relative to

    def _begin_base(self, given: str) -> None:
        """Note an xml:base (W3C, XML Base), resolved against the enclosing element's base or the document's URL."""
        outer = self._bases[-1][1] if self._bases else self._url
        base = join(given.strip(), outer or None) or outer
        if base:
            self._bases.append((self._depth, base))

    def _resolved(self, url: str) -> str:
        """Return a URL resolved against its xml:base, or as written if there is none."""
        return (join(url, self._bases[-1][1]) or url) if self._bases and url else url

    # ---------------------------------------------------------------- the text of an element

    def _read(self, field: str, depth: int) -> None:
        self._field, self._field_depth = field, depth
        self._text, self._room = [], self._longest + 2  # white space that is stripped later counts, up to a block
        self._parser.CharacterDataHandler = self._characters

    def _characters(self, text: str) -> None:
        if not self._text:
            text = text.lstrip()
        if text and self._room > 0:
            self._text.append(text[: self._room])
            self._room -= len(text)

    def _finish_field(self) -> None:
        assert self._item is not None
        self._parser.CharacterDataHandler = None
        value = _BREAKS.sub("", "".join(self._text).strip())
        if value:
            value = self._resolved(value) if self._field == "url" else value
            self._item.values.setdefault(self._field, value)
        self._field = ""

    def _emit(self, item: _Item, *, counts_missing: bool) -> None:
        self._field, self._parser.CharacterDataHandler = "", None
        url = next((each for each in item.candidates() if each), "")
        if not url or len(url) > self._longest or "\ufffd" in url:
            self.left_out += counts_missing or bool(url)
            return
        self.found.append(SitemapEntry(url, item.lastmod(), item.what))


class _Item:
    """An entry that is being read. `depth` is the depth of its element. Mutable."""

    __slots__ = ("depth", "is_news", "values", "what")

    def __init__(self, what: EntryKind, depth: int) -> None:
        self.what = what
        self.depth = depth
        self.is_news = False
        self.values: dict[str, str] = {}

    def candidates(self) -> Iterator[str]:
        """Yield the possible URLs of the entry, the best first."""
        yield self.values.get("url", "") or self.values.get("content", "")
        for name in ("id", _LOOSE):  # where neither <link> nor <loc> is, these may be URLs
            value = self.values.get(name, "")
            yield value if _URL.match(value) else ""

    def lastmod(self) -> float | None:
        """Return when the page was last changed, or else published, in epoch seconds; None if neither is given."""
        seconds = epoch_seconds(self.values.get("modified", ""))
        return epoch_seconds(self.values.get("published", "")) if seconds is None else seconds
