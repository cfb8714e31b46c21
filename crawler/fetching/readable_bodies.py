"""Detects bodies that can be read without decoding, so that an unknown content coding can be ignored. Pure.

Servers write all kinds of values into Content-Encoding: charsets ("UTF-8"), media types, "none", "binary". Browsers
ignore unknown values. A body compressed by an unknown method, however, is not a page.
"""

from __future__ import annotations

from typing import Final

_LOOKED_AT: Final = 4_096
_MOST_BINARY: Final = 50
"""In a readable body, at most one byte in this many does not occur in texts. In compressed bodies, it is one in ten."""
_BINARY: Final = bytes({*range(0x20)} - {0x09, 0x0A, 0x0C, 0x0D, 0x1B})
"""Bytes that do not occur in texts (MIME Sniffing Standard, section 3)."""
_DOCUMENTS: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""The first bytes of office documents and of PDF files, which may have a few bytes before them."""
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
"""The first bytes of texts in UTF-16, in which any byte may follow."""
_PDF: Final = b"%PDF-"
_PACKED: Final = (b"BZh", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ", b"\x1f\x8b", b"\x1f\x9d", b"\x5d\0\0")


def is_readable(body: bytes) -> bool:
    """Return whether a body is a text or a document, and not compressed in any way."""
    start = body[:_LOOKED_AT]
    if start.startswith(_DOCUMENTS + _UTF_16) or _PDF in start[:1_024]:
        return True
    if start.startswith(_PACKED):
        return False
    binary = len(start) - len(start.translate(None, _BINARY))
    return binary * _MOST_BINARY <= len(start)
