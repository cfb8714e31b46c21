"""Texts as the store keeps them: one zstd frame of UTF-8 each."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


class DamagedFrame(Exception):
    """A frame that cannot be decompressed; the message says why."""


def packed(text: str) -> bytes:
    """Return a text as one zstd frame."""
    return packed_bytes(text.encode("utf-8", "replace"))


def packed_bytes(content: bytes) -> bytes:
    """Return bytes as one zstd frame."""
    return zstd.compress(content)


def unpacked(frame: bytes | None) -> str:
    """Return the text in a frame; "" for None. Raises DamagedFrame."""
    return unpacked_bytes(frame).decode("utf-8", "replace")


def unpacked_bytes(frame: bytes | None) -> bytes:
    """Return the bytes in a frame; b"" for None.

    Use it only for frames that Hinterland has written: it does not limit the size of the result. Raises DamagedFrame.
    """
    try:
        return zstd.decompress(frame) if frame else b""
    except zstd.ZstdError as error:
        raise DamagedFrame(str(error)) from error


def beginning(frame: bytes, most_bytes: int) -> tuple[str, bool]:
    """Return the text in a frame, cut to its first `most_bytes`, and whether it is complete.

    Raises DamagedFrame.
    """
    unpacker = zstd.ZstdDecompressor()
    try:
        start = unpacker.decompress(frame, max_length=most_bytes)
    except zstd.ZstdError as error:
        raise DamagedFrame(str(error)) from error
    return start.decode("utf-8", "replace" if unpacker.eof else "ignore"), unpacker.eof
