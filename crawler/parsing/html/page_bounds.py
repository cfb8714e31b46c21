"""Bounds of everything that is kept from a page, and counts of what was cut. Pure.

Bounds are needed because a page of a kilobyte can unpack to megabytes, and because its text would be kept a thousand
times if it stood inside a thousand nested headings or links. None of 160,000 real pages of documentation comes
close to any bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MAX_LINKS: Final = 100_000
MAX_TEXT_BYTES: Final = 10_485_760
"""The default limit of the text that is kept from a page."""
MAX_TITLE_CHARACTERS: Final = 1_000
MAX_DESCRIPTION_CHARACTERS: Final = 5_000
MAX_LANGUAGE_CHARACTERS: Final = 100
MAX_HEADING_CHARACTERS: Final = 5_000
MAX_HEADINGS: Final = 20_000
MAX_HEADING_ANCHOR_CHARACTERS: Final = 200
"""A heading with a longer anchor is kept without it."""
MAX_CHARACTERS_OF_HEADINGS: Final = 1_000_000
MAX_ANCHOR_CHARACTERS: Final = 300
MAX_CHARACTERS_OF_ANCHORS: Final = 2_000_000
MAX_PATH_ELEMENTS: Final = 10
"""The maximum number of elements in a link's path: the nearest ones around the link."""
MAX_NAME_BYTES: Final = 40
"""Limit of an element's name, class or id in a link's path. Names that are longer, or not ASCII, are omitted."""
MAX_BYTES_OF_PATHS: Final = 2_000_000
"""Limit of all paths of a page; links after that have no path."""
MAX_BLOCKS: Final = 5_000
"""The maximum number of blocks of a text whose main content is determined. Judging a block takes longer than reading
it, so a page of `<p>x<p>x...` would take five times as long. None of the 2,008 pages of WCXB has 3,000.
"""
MAX_CONTAINERS: Final = 200_000
"""The maximum number of elements around blocks of text that are distinguished; further ones count as part of the
element around them.
"""
MAX_FIELD_CHARACTERS: Final = 1_000
"""Limit of a header field, and of the text that explains a failure."""
MAX_SITEMAPS: Final = 1_000
MAX_CHARACTERS_OF_SITEMAPS: Final = 100_000
"""Limit of all sitemap URLs in a robots.txt."""
ANCHORS_PER_LINK: Final = 4
"""How many <a> elements are read for each link that may be kept; most repeat an earlier link."""


class Truncations:
    """Counts what was shortened or left out, by kind. Mutable."""

    def __init__(self) -> None:
        """Start with nothing cut."""
        self.counts: dict[str, int] = {}

    def note(self, name: str, count: int = 1) -> None:
        """Add `count` to the number of parts that were cut under the name `name`."""
        if count:
            self.counts[name] = self.counts.get(name, 0) + count

    def text(self, name: str, text: str, most: int) -> str:
        """Return `text`, shortened to `most` characters."""
        if len(text) <= most:
            return text
        self.note(name)
        return text[:most]

    def utf8(self, name: str, text: bytes, most: int) -> bytes:
        """Return `text`, which is UTF-8, shortened to at most `most` bytes between two characters."""
        if len(text) <= most:
            return text
        self.note(name)
        while most and text[most] & 0xC0 == 0x80:
            most -= 1
        return text[:most]

    def field(self, name: str, value: str | None) -> str | None:
        """Return the value of a header field, shortened."""
        return None if value is None else self.text(name, value, MAX_FIELD_CHARACTERS)

    def validator(self, name: str, value: str | None) -> str | None:
        """Return the value of a header field, or None if it is too long, since a part of it would be useless."""
        if value is None or len(value) <= MAX_FIELD_CHARACTERS:
            return value
        self.note(name)
        return None

    def texts(self, name: str, texts: Sequence[str], most_of_one: int, most_of_all: int) -> list[str]:
        """Return the texts, each cut to `most_of_one` characters, and all together to `most_of_all` characters."""
        if not texts or (max(map(len, texts)) <= most_of_one and sum(map(len, texts)) <= most_of_all):
            return list(texts)
        kept, room, cut = [], most_of_all, 0
        for text in texts:
            short = text[: min(most_of_one, room)]
            room -= len(short)
            cut += len(short) < len(text)
            kept.append(short)
        self.note(name, cut)
        return kept
