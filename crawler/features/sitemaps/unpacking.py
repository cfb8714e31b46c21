"""Turns chunks of any size into blocks of equal size, and unpacks gzip.

As a result, later steps cannot depend on how the network has cut the bytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final, cast

from isal import isal_zlib

from hinterland.crawler.features.sitemaps.entries import ReadingEnds, SitemapBounds, SitemapOutcome
from hinterland.crawler.fetching.decoding import MAX_MEMBERS

_GzipError: Final = cast(type[Exception], isal_zlib.error)  # its stub calls the class an instance
_GZIP: Final = zlib.MAX_WBITS + 16
_STEP: Final = 1 << 16
_MAGIC: Final = b"\x1f\x8b"
_BOMB: Final = 100
"""The ratio of unpacked to packed bytes above which data is a bomb. Sitemaps with long common prefixes reach 40."""


class Blocks:
    """Cuts data into blocks of `size` bytes. Mutable: keeps the bytes after the last whole block."""

    def __init__(self, size: int) -> None:
        """Start without bytes."""
        self._size = size
        self._rest = bytearray()

    def add(self, data: bytes) -> Iterator[bytes]:
        """Yield the blocks that are complete now."""
        self._rest += data
        start = 0
        while start + self._size <= len(self._rest):
            yield bytes(self._rest[start : start + self._size])
            start += self._size
        del self._rest[:start]

    def take_rest(self) -> bytes:
        """Remove and return the bytes after the last whole block."""
        rest, self._rest = bytes(self._rest), bytearray()
        return rest


class Unpacker:
    """Takes chunks and yields blocks, from `add` and, at the end, from `finish`.

    For bad data, both yield what can be unpacked, and then raise ReadingEnds with TOO_LARGE, BOMB or CORRUPT. `finish`
    also raises ReadingEnds with TRUNCATED.
    """

    def __init__(self, bounds: SitemapBounds) -> None:
        """Unpack within these bounds."""
        self._max_bytes = bounds.max_bytes
        self._packed = Blocks(bounds.block_bytes)
        self._plain = Blocks(bounds.block_bytes)
        self._members: _Members | None = None
        self._has_begun = False
        self._packed_bytes = 0
        self.bytes = 0
        """How many unpacked bytes were yielded, or are held until a block is whole."""

    def add(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the blocks that are complete after this chunk."""
        for block in self._packed.add(chunk):
            yield from self._unpacked(block)

    def finish(self) -> Iterator[bytes]:
        """Yield the last blocks, after the last chunk."""
        if rest := self._packed.take_rest():
            yield from self._unpacked(rest)
        if plain := self._plain.take_rest():
            yield plain
        if self._members is not None and not self._members.are_whole:
            raise ReadingEnds(SitemapOutcome.TRUNCATED, "the gzip data is incomplete")

    def _unpacked(self, block: bytes) -> Iterator[bytes]:
        if not self._has_begun:
            self._has_begun = True
            self._members = _Members() if block.startswith(_MAGIC) else None
        self._packed_bytes += len(block)
        if self._members is None:
            yield from self._bounded(block)
            return
        try:
            for data in self._members.add(block):
                yield from self._bounded(data)
        except _NotGzip as error:
            if plain := self._plain.take_rest():
                yield plain
            raise ReadingEnds(SitemapOutcome.CORRUPT, str(error)) from None

    def _bounded(self, data: bytes) -> Iterator[bytes]:
        room = self._max_bytes - self.bytes
        self.bytes += min(len(data), room)
        yield from self._plain.add(data[:room])
        if len(data) > room:
            if plain := self._plain.take_rest():
                yield plain
            is_bomb = self._members is not None and self._max_bytes > _BOMB * self._packed_bytes
            outcome = SitemapOutcome.BOMB if is_bomb else SitemapOutcome.TOO_LARGE
            raise ReadingEnds(outcome, f"more than {self._max_bytes:,} bytes")


class _NotGzip(Exception):
    pass


class _Members:
    """Unpacks gzip members one after the other; other data after a member is ignored, as in browsers."""

    def __init__(self) -> None:
        self._decoder = isal_zlib.decompressobj(wbits=_GZIP)
        self._count = 1
        self._between = b""
        self.are_whole = False
        """Whether the last member has been unpacked to its end."""

    def add(self, data: bytes) -> Iterator[bytes]:
        """Yield the unpacked data in steps of at most _STEP bytes."""
        is_full = False  # then there may be more output from earlier input
        while data or is_full:
            if self.are_whole:
                self._between += data
                if len(self._between) < len(_MAGIC) or not self._between.startswith(_MAGIC):
                    self._between = self._between[: len(_MAGIC)]
                    return
                data, self._between = self._between, b""
                self._next()
            try:
                unpacked = self._decoder.decompress(data, _STEP)
            except _GzipError as error:
                raise _NotGzip(f"gzip: {error}") from None
            yield unpacked
            self.are_whole = self._decoder.eof
            is_full = len(unpacked) == _STEP and not self.are_whole
            data = self._decoder.unused_data if self.are_whole else self._decoder.unconsumed_tail

    def _next(self) -> None:
        self._count += 1
        if self._count > MAX_MEMBERS:
            raise _NotGzip(f"gzip: more than {MAX_MEMBERS} members")
        self._decoder, self.are_whole = isal_zlib.decompressobj(wbits=_GZIP), False
