"""Chooses the reader for each kind of document. Pure."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.fetching.content_type import essence_of
from hinterland.crawler.parsing.documents.pdf import check_reader
from hinterland.crawler.parsing.documents.rendition import UnreadableDocument

TYPES: Final = {
    "pdf": ("application/pdf", "application/x-pdf"),
    "text": ("text/plain",),
    "markdown": ("text/markdown", "text/x-markdown"),
    "office": (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.oasis.opendocument.text",
        "application/vnd.oasis.opendocument.presentation",
    ),
}
"""The kinds of documents, each with the content types with which it is sent."""
_KIND: Final = {essence: kind for kind, essences in TYPES.items() for essence in essences}
_MARKDOWN_ENDS: Final = (".md", ".markdown", "/llms.txt", "/llms-full.txt")
_HTML: Final = "text/html; charset=utf-8"


def accepted(content_types: Iterable[str], documents: Iterable[str]) -> frozenset[str]:
    """Return the content types of responses to read: `content_types`, and the types of these kinds of documents."""
    return frozenset(content_types).union(*(TYPES[kind] for kind in documents))


def prepare(documents: Iterable[str]) -> None:
    """Import the readers of these kinds of documents once, before processes are forked. Raises MissingExtra."""
    if "pdf" in documents:
        check_reader()
    if "markdown" in documents:
        importlib.import_module("markdown_it")


@dataclass(frozen=True, slots=True)
class ConvertedDocument:
    """A document as HTML in UTF-8.

    `pages_left_out` counts pages that exceeded the limits of number or time, or could not be read.
    """

    html: bytes
    content_type: str = _HTML
    pages_left_out: int = 0


def kind_of(content_type: str | None, url: str) -> str:
    """Return the kind of a document, which is one of TYPES; "" if it is read as HTML."""
    kind = _KIND.get(essence_of(content_type), "")
    if kind == "text" and url.partition("?")[0].lower().endswith(_MARKDOWN_ENDS):
        return "markdown"  # most servers do not know the type
    return kind


def as_html(
    kind: str, body: bytes, content_type: str | None, max_bytes: int, is_late: Callable[[], bool] = lambda: False
) -> ConvertedDocument:
    """Return a document as HTML. Raises UnreadableDocument.

    `max_bytes` bounds the text, and the unpacked size of an office document. Once `is_late` returns true, the rest of
    the document is left out.
    """
    match kind:
        case "pdf":
            from hinterland.crawler.parsing.documents.pdf import read_pdf

            rendition, left_out = read_pdf(body, max_bytes, is_late)
            return ConvertedDocument(rendition.html(), pages_left_out=left_out)
        case "text":
            from hinterland.crawler.parsing.documents.plain import read_text

            return ConvertedDocument(read_text(body, content_type).html())
        case "markdown":
            from hinterland.crawler.parsing.documents.plain import markdown_html

            return ConvertedDocument(markdown_html(body, content_type))
        case "office":
            from hinterland.crawler.parsing.documents.office import read_office_open_xml, read_opendocument

            read = read_opendocument if "opendocument" in essence_of(content_type) else read_office_open_xml
            return ConvertedDocument(read(body, max_bytes).html())
    raise UnreadableDocument(f"there is no reader for {kind}")
