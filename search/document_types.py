"""The document type of a page, as one word. Pure."""

from __future__ import annotations

from typing import Final

_WORDS: Final = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "": "html",
    "text/plain": "text",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "application/x-pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
}


def document_type(content_type: str) -> str:
    """Return "html" for HTML, "pdf" for application/pdf, and otherwise the media subtype."""
    name = content_type.partition(";")[0].strip().lower()
    return _WORDS.get(name) or name.rpartition("/")[2].removeprefix("x-")
