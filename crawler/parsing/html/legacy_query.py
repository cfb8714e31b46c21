"""Encodes the queries of links on pages in legacy encodings: browsers send such queries in the page's encoding."""

from __future__ import annotations

import codecs
from typing import Final

import webencodings

# What the URL Standard escapes in the query of an http URL, besides controls and everything from 0x7F up.
_ESCAPED: Final = frozenset(b" \"#<>'")


def with_encoded_query(href: str, charset: str) -> str:
    """Return `href` with its query percent-encoded from `charset`, as browsers do before they resolve it.

    See URL Standard, "percent-encode after encoding": a character that the encoding lacks is written as a numeric HTML
    character reference. The rest of a URL is always UTF-8.
    """
    path, mark, query = href.partition("?")
    encoding = webencodings.lookup(charset)
    if not query or query.isascii() or encoding is None:
        return href
    data, _ = encoding.codec_info.encode(query, _HANDLER)
    return path + mark + "".join(f"%{byte:02X}" if _is_escaped(byte) else chr(byte) for byte in data)


def _is_escaped(byte: int) -> bool:
    return byte < 0x20 or byte > 0x7E or byte in _ESCAPED


def _as_escaped_reference(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(f"%26%23{ord(character)}%3B" for character in missing), error.end


_HANDLER: Final = "hinterland-escaped-reference"
codecs.register_error(_HANDLER, _as_escaped_reference)
