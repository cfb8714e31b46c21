"""Finds the media type by which a browser would show an archived body.

It depends on Content-Type or, where browsers look at them, on the first bytes. See the MIME Sniffing Standard, sections
6 and 7: bodies without a media type, and the bodies of pictures, fonts and media.
"""

from __future__ import annotations

import re
from typing import Final

from hinterland.crawler.fetching.content_type import declared_type
from hinterland.crawler.fetching.readable_bodies import is_readable

_BY_BEGINNING: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"), (b"GIF87a", "image/gif"), (b"GIF89a", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"), (b"BM", "image/bmp"), (b"\0\0\1\0", "image/x-icon"), (b"\0\0\2\0", "image/x-icon"),
    (b"wOFF", "font/woff"), (b"wOF2", "font/woff2"), (b"OTTO", "font/otf"), (b"ttcf", "font/collection"),
    (b"\0\1\0\0", "font/ttf"), (b"OggS\0", "audio/ogg"), (b"ID3", "audio/mpeg"), (b"\x1a\x45\xdf\xa3", "video/webm"),
    (b"%PDF-", "application/pdf"),
)  # fmt: skip
_BY_PATTERN: Final = (
    (re.compile(rb"RIFF....WEBPVP", re.DOTALL), "image/webp"),
    (re.compile(rb"RIFF....WAVE", re.DOTALL), "audio/wave"),
    (re.compile(rb"....ftypavif", re.DOTALL), "image/avif"),
    (re.compile(rb"....ftyp", re.DOTALL), "video/mp4"),
)
_MEDIA: Final = ("audio/", "video/")
_BLANK: Final = b"\xef\xbb\xbf\t\n\f\r "
_SNIFFED_FOR: Final = {"image": ("image/",), "font": ("font/",), "audio": _MEDIA, "video": _MEDIA}
"""Sec-Fetch-Dest -> the beginnings of media types that browsers recognise there, whatever type is declared."""


def media_type_of(content_type: str, body: bytes, destination: str = "") -> str:
    """Return the media type by which a browser would use a decoded body.

    `content_type` is the header field of the answer, "" if it has none. `destination` is the use that the browser
    announces (Sec-Fetch-Dest).
    """
    declared, sniffed = declared_type(content_type), _sniffed(body)
    if sniffed and (not declared or sniffed.startswith(_SNIFFED_FOR.get(destination, ()))):
        return sniffed
    if declared:
        return declared
    if body.lstrip(_BLANK).startswith(b"<"):
        return "text/html"
    return "text/plain" if is_readable(body) else "application/octet-stream"


def _sniffed(body: bytes) -> str:
    """Return the media type that the first bytes of a body show; "" if they show none."""
    for beginning, media_type in _BY_BEGINNING:
        if body.startswith(beginning):
            return media_type
    return next((media_type for pattern, media_type in _BY_PATTERN if pattern.match(body)), "")
