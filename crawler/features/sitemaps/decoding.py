"""Decodes the text of a sitemap block by block, from any encoding."""

from __future__ import annotations

import codecs
import re
from typing import Final

import webencodings

from hinterland.crawler.features.sitemaps.entries import ReadingEnds, SitemapOutcome
from hinterland.crawler.parsing.charset.encoding import content_type_encoding
from hinterland.crawler.parsing.charset.encoding_prescan import xml_encoding

_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffc\U00010000-\U0010ffff]+")
"""Characters that XML 1.0 does not allow (section 2.2), and U+FFFD, which stands for undecodable bytes."""


class Decoder:
    """Decodes blocks of bytes, with U+FFFD for anything invalid in the encoding or not allowed in XML. Mutable.

    The encoding is given by the byte order mark, else by Content-Type, else by the XML declaration; the default is
    UTF-8 (RFC 7303, section 3, and sitemaps.org).
    """

    def __init__(self, content_type: str | None) -> None:
        """Decode a body that was sent with this Content-Type."""
        self._content_type = content_type
        self._decoder: codecs.IncrementalDecoder | None = None
        self._may_have_mark = True
        self.has_failed = False
        """Whether some bytes were invalid in the encoding."""

    def decode(self, block: bytes, *, is_last: bool = False) -> str:
        """Return the text of the next block.

        Raises ReadingEnds for an encoding that is unknown or that browsers refuse to decode.
        """
        if self._decoder is None:
            self._decoder = _decoder_of(_encoding(block, self._content_type))
        text = self._decoder.decode(block, is_last)
        if self._may_have_mark and text:
            self._may_have_mark, text = False, text.lstrip("\ufeff")
        text, count = _NO_XML.subn("\ufffd", text)
        self.has_failed |= count > 0
        return text


def _encoding(head: bytes, content_type: str | None) -> str:
    for mark, name in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be")):
        if head.startswith(mark):
            return name
    for beginning, name in ((b"<\x00", "utf-16le"), (b"\x00<", "utf-16be")):
        if head.startswith(beginning):
            return name
    return (content_type_encoding(content_type) if content_type else None) or xml_encoding(head.lstrip()) or "utf-8"


def _decoder_of(name: str) -> codecs.IncrementalDecoder:
    encoding = webencodings.lookup("gb18030" if name == "gbk" else name)
    if encoding is None or encoding.name == "replacement":
        raise ReadingEnds(SitemapOutcome.WRONG_ENCODING, f"the content cannot be read because of its encoding {name}")
    made: codecs.IncrementalDecoder = encoding.codec_info.incrementaldecoder("replace")
    return made
