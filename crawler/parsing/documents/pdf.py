"""Reads PDF with PDFium, the library used by Chromium.

It takes a twentieth of the time of pypdf and a fortieth of the time of pdfminer.six, and no other library has been
exposed to more hostile files. But it is C++, so it must run in a process that may be killed.
"""

from __future__ import annotations

import ctypes
import importlib
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from hinterland.crawler.parsing.documents.rendition import Rendition, UnreadableDocument, first_line
from hinterland.distribution.extras import need

MOST_PAGES: Final = 5_000
MOST_LINKS_A_PAGE: Final = 1_000
_MOST_BYTES: Final = 4_000
_HYPHEN: Final = re.compile("[\x02\ufffe](?:\r?\n)?")
"""A hyphen at the end of a line, as PDFium writes it."""
_NO_TITLE: Final = re.compile(r"(untitled.*|.*\.(?:docx?|tex|dvi|indd|qxd|pdf|ps|odt|rtf|pptx?))?", re.IGNORECASE)


def check_reader() -> None:
    """Import PDFium, once for all forked processes. Raises MissingExtra."""
    need("documents", by="reading PDF", otherwise="leave pdf out of fetching.documents")
    importlib.import_module("pypdfium2")


def read_pdf(body: bytes, max_text_bytes: int, is_late: Callable[[], bool] = lambda: False) -> tuple[Rendition, int]:
    """Return the content, and the number of pages that were left out.

    Once `is_late` returns true, all further pages are left out. `max_text_bytes` bounds the text. Raises
    UnreadableDocument.
    """
    import pypdfium2 as pdfium
    import pypdfium2.raw as raw

    # For a file without pages, PdfDocument(body) would report the last error, which is the previous document's.
    opened = raw.FPDF_LoadMemDocument64(body, len(body), None)
    if not opened:
        raise UnreadableDocument(_why(raw.FPDF_GetLastError()))
    document = pdfium.PdfDocument(opened)
    try:
        return _read(document, max_text_bytes, is_late)
    finally:
        document.close()


def _why(error: int) -> str:
    import pypdfium2.raw as raw

    if error == raw.FPDF_ERR_PASSWORD:
        return "it is protected by a password"
    if error == raw.FPDF_ERR_SECURITY:
        return "its encryption is not supported"
    return "it is not a PDF, or it is damaged"


def _read(document: Any, max_text_bytes: int, is_late: Callable[[], bool]) -> tuple[Rendition, int]:
    import pypdfium2 as pdfium

    rendition = Rendition(language=_language(document))
    room, count = max_text_bytes, len(document)
    if not count:
        raise UnreadableDocument("it has no pages")
    read = 0
    for number in range(min(count, MOST_PAGES)):
        if room <= 0 or (number and is_late()):
            break
        try:
            page = document[number]
            text_page = page.get_textpage()
            text = _HYPHEN.sub("", text_page.get_text_range())
        except pdfium.PdfiumError:
            continue
        rendition.hrefs += _links(document, page)
        text_page.close()
        page.close()
        text = text[:room]
        room -= len(text)
        rendition.blocks.append(("pre", text))
        read += 1
    if not read:
        raise UnreadableDocument(f"none of its {count:,} pages can be read")
    title = " ".join(document.get_metadata_value("Title").split())
    rendition.title = first_line(text for _, text in rendition.blocks) if _NO_TITLE.fullmatch(title) else title
    return rendition, count - read


def _language(document: Any) -> str:
    import pypdfium2.raw as raw

    length = raw.FPDFCatalog_GetLanguage(document, None, 0)
    if not 2 < length <= _MOST_BYTES:
        return ""
    buffer = ctypes.create_string_buffer(length)
    raw.FPDFCatalog_GetLanguage(document, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_uint16)), length)
    return buffer.raw[: length - 2].decode("utf-16-le", "replace")


def _links(document: Any, page: Any) -> Iterator[str]:
    """Yield the external targets of a page's links."""
    import pypdfium2.raw as raw

    position, link = ctypes.c_int(0), raw.FPDF_LINK()
    for _ in range(MOST_LINKS_A_PAGE):
        if not raw.FPDFLink_Enumerate(page, position, link):
            return
        action = raw.FPDFLink_GetAction(link)
        if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
            continue
        length = raw.FPDFAction_GetURIPath(document, action, None, 0)
        if not 1 < length <= _MOST_BYTES:
            continue
        buffer = ctypes.create_string_buffer(length)
        raw.FPDFAction_GetURIPath(document, action, buffer, length)
        yield buffer.value.decode("utf-8", "replace").strip()
