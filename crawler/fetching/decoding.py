"""Content decoding: turns the bytes of an HTTP body into the bytes of the page, up to a maximum size."""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Callable
from typing import Final, cast

import brotli
from isal import isal_zlib

from hinterland.crawler.fetching.readable_bodies import is_readable

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = [
    "MAX_CODINGS",
    "MAX_MEMBERS",
    "ContentCorrupt",
    "ContentDecodingError",
    "ContentTooLarge",
    "ContentTruncated",
    "UnknownContentEncoding",
    "decode_content",
    "zstd",
]

MAX_CODINGS: Final = 4
"""Maximum number of codings applied one after the other ("gzip, br"); no honest server uses more."""
MAX_MEMBERS: Final = 1000
"""Maximum number of consecutive gzip members or zstd frames; each requires a copy of the bytes after it."""


class ContentDecodingError(Exception):
    """Raised if the body does not match its Content-Encoding."""


class ContentTruncated(ContentDecodingError):
    """Raised if the body breaks off; `part` is the content that could be decoded before that."""

    def __init__(self, message: str, part: bytes = b"") -> None:
        """Take the message and the content before the break."""
        super().__init__(message)
        self.part = part


class ContentCorrupt(ContentDecodingError):
    """Raised if the body is not in the declared coding."""


class ContentTooLarge(ContentDecodingError):
    """Raised if the decoded body is larger than allowed."""


class UnknownContentEncoding(ContentDecodingError):
    """Raised if the coding is unknown and the body cannot be read as it is, or if there are too many codings."""


def decode_content(body: bytes, content_encoding: str, max_bytes: int) -> bytes:
    """Undo the codings of a Content-Encoding field (RFC 9110, 8.4), the last one first.

    Unknown codings are ignored, as in browsers, if the body can be read without them. An empty body is empty in every
    coding. The decoding of each coding stops one byte after `max_bytes`. The limit also applies to a body without any
    coding. Raises a subclass of ContentDecodingError.
    """
    names = [_name(part) for part in content_encoding.lower().split(",")]
    codings = [name for name in names if name in _DECODERS]
    unknown = [name for name in names if name not in _DECODERS and name not in _NO_CODING]
    if len(codings) > MAX_CODINGS:
        named = f"Content-Encoding names {len(codings)} codings, more than {MAX_CODINGS}"
        raise UnknownContentEncoding(f"{named}: {content_encoding[:100]}")
    for name in reversed(codings):
        try:
            body = _DECODERS[name](body, max_bytes) if body else body
        except ContentTruncated as error:
            if len(codings) > 1:
                error.part = b""  # it may have codings left
            raise
    if unknown and not is_readable(body):
        raise UnknownContentEncoding(f"the content cannot be read because its coding {unknown[-1][:100]} is unknown")
    if len(body) > max_bytes:
        raise ContentTooLarge(f"more than {max_bytes} bytes")
    return body


def _name(member: str) -> str:
    """Return the name of a coding without the quotation marks and parameters that some servers add."""
    return member.partition(";")[0].strip().strip('"')


def _gunzip(body: bytes, max_bytes: int) -> bytes:
    members: list[bytes] = []
    room = max_bytes
    # Padding or rubbish after the last member is ignored, as browsers do.
    while body and (not members or body.startswith(_GZIP_MAGIC)):
        decoder = isal_zlib.decompressobj(wbits=_GZIP)  # twice as fast as zlib
        try:
            members.append(_inflated(decoder, body, room, "gzip"))
        except ContentTruncated as error:
            error.part = b"".join([*members, error.part])
            raise
        if len(members) > MAX_MEMBERS:
            raise ContentCorrupt(f"gzip: more than {MAX_MEMBERS} members")
        room -= len(members[-1])
        body = decoder.unused_data
    return b"".join(members)


def _inflate(body: bytes, max_bytes: int) -> bytes:
    """Decode "deflate", which means zlib (RFC 9110); raw deflate, sent by some servers, is accepted as in browsers."""
    try:
        return _inflated(isal_zlib.decompressobj(wbits=_ZLIB), body, max_bytes, "deflate")
    except ContentCorrupt:
        return _inflated(isal_zlib.decompressobj(wbits=_RAW), body, max_bytes, "deflate")


def _inflated(decoder: isal_zlib.Decompress, body: bytes, max_bytes: int, name: str) -> bytes:
    try:
        data = decoder.decompress(body, max_bytes + 1)
    except _GzipError as error:
        raise ContentCorrupt(f"{name}: {_ZLIB_CODE.sub('', str(error))}") from None
    if len(data) > max_bytes:
        raise ContentTooLarge(f"more than {max_bytes} bytes")
    if not decoder.eof:
        raise ContentTruncated(f"the {name} data breaks off", data)
    return data


def _unbrotli(body: bytes, max_bytes: int) -> bytes:
    decoder = brotli.Decompressor()
    chunks: list[bytes] = []
    room = max_bytes
    try:
        while not decoder.is_finished():
            if chunks and decoder.can_accept_more_data():
                raise ContentTruncated("the br data breaks off", b"".join(chunks))
            # brotli may exceed this limit by what it has already decoded.
            chunks.append(decoder.process(b"" if chunks else body, output_buffer_limit=room + 1))
            room -= len(chunks[-1])
            if room < 0:
                raise ContentTooLarge(f"more than {max_bytes} bytes")
    except brotli.error as error:
        raise ContentCorrupt(f"br: {error}") from None
    return b"".join(chunks)


def _unzstd(body: bytes, max_bytes: int) -> bytes:
    frames: list[bytes] = []
    room = max_bytes
    while body:
        decoder = zstd.ZstdDecompressor(options=_ZSTD_OPTIONS)
        try:
            frames.append(decoder.decompress(body, room + 1))
        except zstd.ZstdError as error:
            raise ContentCorrupt(f"zstd: {error}") from None
        room -= len(frames[-1])
        if room < 0:
            raise ContentTooLarge(f"more than {max_bytes} bytes")
        if not decoder.eof:
            raise ContentTruncated("the zstd data breaks off", b"".join(frames))
        if len(frames) > MAX_MEMBERS:
            raise ContentCorrupt(f"zstd: more than {MAX_MEMBERS} frames")
        body = decoder.unused_data
    return b"".join(frames)


_GzipError: Final = cast(type[Exception], isal_zlib.error)  # its stub calls the class an instance
_ZLIB_CODE: Final = re.compile(r"^Error -?\d+ ")
_NO_CODING: Final = ("", "identity")
_GZIP_MAGIC: Final = b"\x1f\x8b"
_GZIP, _ZLIB, _RAW = zlib.MAX_WBITS + 16, zlib.MAX_WBITS, -zlib.MAX_WBITS
# RFC 9659: no window above 8 MiB on the web, whatever a frame asks for.
_ZSTD_OPTIONS: Final = {int(zstd.DecompressionParameter.window_log_max): 23}
_DECODERS: Final[dict[str, Callable[[bytes, int], bytes]]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
