"""Determines a page's character encoding and decodes its text.

HTML Standard 13.2.3.2 "Determining the character encoding"; Encoding Standard, "decode".
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import webencodings

from hinterland.crawler.fetching.content_type import is_xml, parse_content_type
from hinterland.crawler.parsing.charset.encoding_prescan import (
    PRESCAN_BYTES,
    declared_encoding,
    encoding_of_label,
    late_declared_encoding,
    xml_encoding,
)


class EncodingSource(StrEnum):
    """What determined the encoding, from the most to the least trusted source."""

    BOM = "bom"
    HTTP = "http"
    META = "meta"
    CONTENT = "content"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class SniffedEncoding:
    """An encoding and its source. `name` is the WHATWG name in lower case ("utf-8", "windows-1252")."""

    name: str
    source: EncodingSource


def sniff_encoding(body: bytes, content_type: str | None, default: str = "windows-1252") -> SniffedEncoding:
    """Return the encoding that a browser would use, by the byte order mark, HTTP, <meta>, or the bytes themselves.

    `default` is the encoding of pages without any hint, such as pages in ASCII.
    """
    if body.startswith(b"\xef\xbb\xbf"):
        return SniffedEncoding("utf-8", EncodingSource.BOM)
    if body.startswith(b"\xff\xfe"):
        return SniffedEncoding("utf-16le", EncodingSource.BOM)
    if body.startswith(b"\xfe\xff"):
        return SniffedEncoding("utf-16be", EncodingSource.BOM)
    if content_type and (name := content_type_encoding(content_type)):
        return SniffedEncoding(name, EncodingSource.HTTP)
    if is_xml(content_type) and (name := _encoding_in_xml(body)):
        return SniffedEncoding(name, EncodingSource.CONTENT)
    if name := declared_encoding(body) or late_declared_encoding(body):
        return SniffedEncoding(name, EncodingSource.META)
    if not body.isascii() and (name := encoding_by_content(body)):
        return SniffedEncoding(name, EncodingSource.CONTENT)
    return SniffedEncoding(default, EncodingSource.DEFAULT)


def _encoding_in_xml(body: bytes) -> str | None:
    """Return the encoding by the rules of XML (1.0, appendix F): as declared, else UTF-8; <meta> is ignored.

    Return None if there is no declaration and the bytes are not UTF-8: such a page is not XML, and is read like HTML.
    """
    if body.startswith((b"<\0", b"\0<")):
        return None  # UTF-16, which HTML recognises by the same bytes
    if name := xml_encoding(body[:PRESCAN_BYTES]):
        return name
    try:
        body.decode()
    except UnicodeDecodeError:
        return None
    return "utf-8"


def content_type_encoding(content_type: str) -> str | None:
    """Return the encoding that a Content-Type field names."""
    parsed = parse_content_type(content_type)
    return None if parsed is None or parsed.charset is None else encoding_of_label(parsed.charset)


# --- what its bytes look like -------------------------------------------------------------------

_SAMPLE_BYTES: Final = 4096
_NOT_ASCII: Final = re.compile(rb"[\x80-\xff]")
_TAG: Final = re.compile(rb"<[^>]*>")

# The detector's answers that are trusted, by WHATWG name. On pages in 12 languages it got every script right;
# but among the encodings of the Latin script it is wrong as often as not, and windows-1252, which browsers
# assume, is the better guess for these.
_BELIEVED: Final = {
    "big5": "big5",
    "big5hkscs": "big5",
    "cp1125": "ibm866",
    "cp1251": "windows-1251",
    "cp1253": "windows-1253",
    "cp1255": "windows-1255",
    "cp1256": "windows-1256",
    "cp866": "ibm866",
    "cp874": "windows-874",
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "euc_jis_2004": "euc-jp",
    "euc_jisx0213": "euc-jp",
    "euc_jp": "euc-jp",
    "euc_kr": "euc-kr",
    "gb18030": "gb18030",
    "gb2312": "gbk",
    "gbk": "gbk",
    "iso8859_5": "iso-8859-5",
    "iso8859_6": "iso-8859-6",
    "iso8859_7": "iso-8859-7",
    "iso8859_8": "iso-8859-8",
    "koi8_r": "koi8-r",
    "koi8_u": "koi8-u",
    "mac_cyrillic": "x-mac-cyrillic",
    "shift_jis": "shift_jis",
    "shift_jis_2004": "shift_jis",
    "shift_jisx0213": "shift_jis",
    "tis_620": "windows-874",
}


def encoding_by_content(body: bytes) -> str | None:
    """Return the encoding of a page that declares none: utf-8 if valid, else a detector's guess from a sample."""
    try:
        body.decode()
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8"
    import charset_normalizer  # costs 6 MB, and most crawls never need it

    first = _NOT_ASCII.search(body)
    assert first is not None  # ASCII alone would be UTF-8
    sample = body[first.start() : first.start() + _SAMPLE_BYTES]
    sample = sample[: sample.rfind(b"<") + 1] or sample  # cut where no character is split
    best = charset_normalizer.from_bytes(_TAG.sub(b" ", sample)).best()
    return None if best is None else _BELIEVED.get(best.encoding)


# --- the text -----------------------------------------------------------------------------------


def decode(body: bytes, name: str) -> str:
    """Return `body` decoded from the WHATWG encoding `name`, without byte order mark; invalid bytes become U+FFFD.

    Raises LookupError for an unknown name.
    """
    encoding = webencodings.lookup(name)
    if encoding is None:
        raise LookupError(f"no such encoding: {name!r}")
    if encoding.name == "replacement":  # used for encodings that hide scripts from filters
        return "\ufffd" if body else ""
    decoder = _GB18030 if encoding.name == "gbk" else encoding.codec_info
    errors = _C1_HANDLER if encoding.name.startswith("windows-") else "replace"
    return decoder.decode(body, errors)[0].removeprefix("\ufeff")


_GB18030: Final = codecs.lookup("gb18030")  # Encoding 10.1.1: "gbk's decoder is gb18030's decoder"


def _as_c1_control(error: UnicodeError) -> tuple[str, int]:
    """Decode bytes 0x80 to 0x9F that a windows code page leaves undefined as C1 controls (Encoding, indexes)."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(chr(byte) if byte < 0xA0 else "\ufffd" for byte in missing), error.end


_C1_HANDLER: Final = "hinterland-c1-control"
codecs.register_error(_C1_HANDLER, _as_c1_control)
