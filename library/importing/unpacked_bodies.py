"""Finds out whether an archived body is still compressed as it was sent.

Many tools archive what a browser or an HTTP library gave them: they write the decoded body, but leave its
Content-Encoding as it was. Pure.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Final

import brotli

_GZIP: Final = (b"\x1f\x8b",)
_ZSTD: Final = (b"\x28\xb5\x2f\xfd", *(bytes([number]) + b"\x2a\x4d\x18" for number in range(0x50, 0x60)))
"""How a Zstandard frame or a skippable frame begins."""
_TRIED_BYTES: Final = 1 << 12
_ROOM_BYTES: Final = 1 << 16
_LEAST_TEXT: Final = 16
"""If this many bytes at the beginning could all be text, the data is hardly ever compressed."""
_CONTROL: Final = bytes({*range(32), 127} - {*b"\t\n\f\r\x1b"})
_NO_CODING: Final = ("", "identity")


def coding_of(body: bytes, content_encoding: str) -> str:
    """Return the Content-Encoding that an archived body still has.

    It is "" if the body was decoded already. This is so if the body is not in the last coding that the field names.
    """
    codings = [name for part in content_encoding.lower().split(",") if (name := part.strip()) not in _NO_CODING]
    is_packed = _PACKED.get(codings[-1]) if codings else None
    if is_packed is None or not body or is_packed(body):
        return content_encoding
    return ""


def _is_deflated(body: bytes) -> bool:
    return not _is_text(body) and any(_inflates(body, window) for window in (zlib.MAX_WBITS, -zlib.MAX_WBITS))


def _inflates(body: bytes, window: int) -> bool:
    try:
        zlib.decompressobj(window).decompress(body[:_TRIED_BYTES], _ROOM_BYTES)
    except zlib.error:
        return False
    return True


def _is_brotli(body: bytes) -> bool:
    if _is_text(body):
        return False
    try:
        brotli.Decompressor().process(body[:_TRIED_BYTES], output_buffer_limit=_ROOM_BYTES)
    except brotli.error:
        return False
    return True


def _is_text(body: bytes) -> bool:
    """Return whether the beginning of a body looks like text in an encoding of the web, or like a document."""
    if body.startswith((b"%PDF-", b"PK\x03\x04")):
        return True
    beginning = body[:_TRIED_BYTES]
    if beginning.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16
        return True
    return len(beginning) >= _LEAST_TEXT and len(beginning.translate(None, _CONTROL)) == len(beginning)


_PACKED: Final[dict[str, Callable[[bytes], bool]]] = {
    "gzip": lambda body: body.startswith(_GZIP),
    "x-gzip": lambda body: body.startswith(_GZIP),
    "zstd": lambda body: body.startswith(_ZSTD),
    "deflate": _is_deflated,
    "br": _is_brotli,
}
