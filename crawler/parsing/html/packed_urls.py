"""Packs the URLs of a page's links into few strings.

The links of a large page get their page numbers in batches of some thousand links, while the other links wait in
memory. As separate strings they would take three times as much memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

URLS_A_PIECE: Final = 4000
"""How many URLs are in a piece; most pages need only one piece."""
_BETWEEN: Final = "\n"  # no canonical URL contains one


class PackedUrls(msgspec.Struct, frozen=True, array_like=True, eq=False):
    """A sequence of canonical URLs that creates strings only on demand.

    Each of the `pieces` holds URLS_A_PIECE URLs; the last one may hold fewer.
    """

    pieces: list[str]

    @classmethod
    def of(cls, urls: Sequence[str]) -> PackedUrls:
        """Pack the URLs."""
        return cls([_BETWEEN.join(urls[start : start + URLS_A_PIECE]) for start in range(0, len(urls), URLS_A_PIECE)])

    def __len__(self) -> int:
        """Return the number of URLs."""
        if not self.pieces:
            return 0
        return URLS_A_PIECE * (len(self.pieces) - 1) + self.pieces[-1].count(_BETWEEN) + 1

    def __iter__(self) -> Iterator[str]:
        """Iterate over the URLs."""
        for piece in self.pieces:
            yield from piece.split(_BETWEEN)

    def __getitem__(self, part: slice) -> list[str]:
        """Return the URLs of a slice without a step."""
        if part.start is None and part.stop is None and len(self.pieces) == 1:
            return self.pieces[0].split(_BETWEEN)
        start, stop, _ = part.indices(len(self))
        first = start // URLS_A_PIECE
        found = [url for piece in self.pieces[first : -(-stop // URLS_A_PIECE)] for url in piece.split(_BETWEEN)]
        return found[start - first * URLS_A_PIECE : stop - first * URLS_A_PIECE]

    def __eq__(self, other: object) -> bool:
        """Return whether `other` holds the same URLs."""
        return isinstance(other, PackedUrls) and self.pieces == other.pieces

    def __hash__(self) -> int:
        """Return the hash of the URLs."""
        return hash(tuple(self.pieces))
