"""Reads, in the parser processes, what pages, frames and style sheets refer to."""

from __future__ import annotations

from typing import Final

import msgspec

from hinterland.crawler.fetching.content_type import essence_of
from hinterland.crawler.parsing.charset.encoding import decode, sniff_encoding
from hinterland.crawler.parsing.html.html_source import HtmlSource
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.parsing.page_readers import PageReader, ReadablePage, ReaderOrder
from hinterland.crawler.parsing.resources.page_tree import base_among
from hinterland.crawler.parsing.resources.pages import resources_of_page, resources_of_parts, resources_of_style_sheet
from hinterland.crawler.parsing.resources.references import ResourceKind, Resources

READER: Final = ReaderOrder("requisites", f"{__name__}:reader")
_FRAMES: Final = frozenset({"text/html", "application/xhtml+xml"})

References = tuple[list[tuple[int, str]], int]
"""(kind, URL) of each reference, and how many were not read."""


class RequisiteReader(PageReader):
    """Reads references to resources."""

    needs_parts = True

    def read(self, page: ReadablePage) -> bytes:
        """Return the encoded references of a page."""
        base = base_among(page.content.elements, page.url)
        return _encoded(resources_of_parts(page.content.parts, base, page.source.charset))

    def read_body(self, url: str, body: bytes, content_type: str | None) -> bytes:
        """Return the encoded references of a frame or a style sheet."""
        if essence_of(content_type) in _FRAMES:
            source = HtmlSource(body, content_type)
            return _encoded(resources_of_page(source.readable, url, source.charset))
        if essence_of(content_type) != "text/css":
            return b""
        charset = sniff_encoding(body, content_type).name
        return _encoded(resources_of_style_sheet(decode(body, charset), url))


def reader(_config: bytes) -> RequisiteReader:
    """Return the reader of references. Parser processes call this."""
    return RequisiteReader()


def is_read(kind: ResourceKind, content_type: str | None) -> bool:
    """Return whether resources of this kind may refer to other resources."""
    essence = essence_of(content_type)
    return essence == "text/css" or (essence in _FRAMES and kind in (ResourceKind.FRAME, ResourceKind.OBJECT))


def references_of(digest: PageDigest) -> References:
    """Return the references that were read from a page, frame or style sheet."""
    found = digest.readings.get(READER.name)
    return _decoder.decode(found) if found else ([], 0)


def _encoded(resources: Resources) -> bytes:
    if not resources.references:
        return b""
    return _encoder.encode(([(int(each.kind), each.url) for each in resources.references], resources.left_out))


_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(References)
