"""Recognises bodies that are not text, although they are sent as HTML or without a type: pictures, archives, ... Pure.

Browsers show such a body as rows of strange characters. As a page it would fill the index with them.
"""

from __future__ import annotations

import re
from typing import Final

from hinterland.crawler.fetching.content_type import declared_type
from hinterland.crawler.fetching.readable_bodies import is_readable

_BEGINNINGS: Final = (
    (rb"\x89PNG\r\n\x1a\n", "a PNG image"),
    (rb"\xff\xd8\xff", "a JPEG image"),
    (rb"GIF8[79]a", "a GIF image"),
    (rb"RIFF....WEBPVP", "a WebP image"),
    (rb"\0\0[\1\2]\0", "an icon"),
    (rb"(?:wOFF|wOF2|OTTO|ttcf)[\0-\x1f]|\0\1\0\0", "a font"),
    (rb"....ftyp|\x1a\x45\xdf\xa3|OggS\0|ID3[\0-\x1f]|RIFF....(?:WAVE|AVI )|FLV\1", "sound or video"),
    (rb"%PDF-", "a PDF document"),
    (rb"PK[\3\5\7][\4\6\x08]", "a ZIP archive or an office document"),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old office document"),
    (rb"\x1f\x8b\x08", "gzip data"),
    (rb"\x28\xb5\x2f\xfd|BZh[1-9]1AY&SY|\xfd7zXZ\0|7z\xbc\xaf\x27\x1c|Rar!\x1a\7", "an archive"),
    (rb"\x7fELF|\0asm|\xca\xfe\xba\xbe", "a program"),
    (rb"SQLite format 3\0", "a database"),
)
_FORMAT: Final = re.compile(
    b"|".join(rb"(?P<f%d>%s)" % (place, pattern) for place, (pattern, _) in enumerate(_BEGINNINGS)), re.DOTALL
)


def why_no_page(body: bytes, content_type: str | None) -> str:
    """Return why a body that would be read as HTML is not a page; "" if it may be a page.

    A body whose type is declared is rejected only if it begins like a known format that is not text. A body without a
    type is also rejected if its first bytes do not occur in texts; browsers decide in the same way (MIME Sniffing
    Standard, section 7.1).
    """
    is_declared = bool(declared_type(content_type))
    labelled = "is labelled as HTML" if is_declared else "has no content type"
    if found := _FORMAT.match(body):
        assert found.lastgroup is not None  # each alternative is a group
        return f"it {labelled}, but is {_BEGINNINGS[int(found.lastgroup[1:])][1]}"
    if not is_declared and not is_readable(body):
        return "it has no content type, and is no text"
    return ""
