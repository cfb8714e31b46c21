"""The URLs of a page's links, most of them in one piece: a page of 100,000 links waits for its links to be numbered
some thousands at a time, and would take three times the memory as so many strings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

URLS_A_PIECE: Final = 4000
"""Usual pages are of one piece."""
_BETWEEN: Final = "\n"  # no canonical URL has one


class PackedUrls(msgspec.Struct, frozen=True, array_like=True, eq=False):
    """A sequence of canonical URLs that makes those strings only that are asked for. pieces: of URLS_A_PIECE each, but
    for the last.
    """

    pieces: list[str]

    @classmethod
    def of(cls, urls: Sequence[str]) -> PackedUrls:
        return cls([_BETWEEN.join(urls[start : start + URLS_A_PIECE]) for start in range(0, len(urls), URLS_A_PIECE)])

    def __len__(self) -> int:
        if not self.pieces:
            return 0
        return URLS_A_PIECE * (len(self.pieces) - 1) + self.pieces[-1].count(_BETWEEN) + 1

    def __iter__(self) -> Iterator[str]:
        for piece in self.pieces:
            yield from piece.split(_BETWEEN)

    def __getitem__(self, part: slice) -> list[str]:
        """Those from part.start to part.stop; it has no step."""
        if part.start is None and part.stop is None and len(self.pieces) == 1:
            return self.pieces[0].split(_BETWEEN)
        start, stop, _ = part.indices(len(self))
        first = start // URLS_A_PIECE
        found = [url for piece in self.pieces[first : -(-stop // URLS_A_PIECE)] for url in piece.split(_BETWEEN)]
        return found[start - first * URLS_A_PIECE : stop - first * URLS_A_PIECE]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PackedUrls) and self.pieces == other.pieces

    def __hash__(self) -> int:
        return hash(tuple(self.pieces))
