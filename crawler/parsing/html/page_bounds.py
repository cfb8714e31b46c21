"""How much of a page is kept: a bound for everything that is derived from it, and a count of what a bound cut. Pure.

A page of a kilobyte can unpack to megabytes, say the same in a thousand places and be the text of a thousand elements
at once. No bound is near what the largest of 160,000 real pages of documentation needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MAX_LINKS: Final = 100_000
MAX_TEXT_BYTES: Final = 10_485_760
"""What is kept of a page where no setting says otherwise."""
MAX_TITLE_CHARACTERS: Final = 1_000
MAX_DESCRIPTION_CHARACTERS: Final = 5_000
MAX_LANGUAGE_CHARACTERS: Final = 100
MAX_HEADING_CHARACTERS: Final = 5_000
MAX_HEADINGS: Final = 20_000
MAX_CHARACTERS_OF_HEADINGS: Final = 1_000_000
MAX_ANCHOR_CHARACTERS: Final = 300
MAX_CHARACTERS_OF_ANCHORS: Final = 2_000_000
MAX_PATH_ELEMENTS: Final = 10
"""Of the elements around a link, those nearest to it."""
MAX_NAME_BYTES: Final = 40
"""Of an element, a class or an id in such a path; longer ones, and those that are not ASCII, are left out."""
MAX_BYTES_OF_PATHS: Final = 2_000_000
"""Of one page; links after those have no path."""
MAX_FIELD_CHARACTERS: Final = 1_000
"""Of a header field, and of what is noted about a failure."""
MAX_SITEMAPS: Final = 1_000
MAX_CHARACTERS_OF_SITEMAPS: Final = 100_000
"""Of one robots.txt."""
ANCHORS_PER_LINK: Final = 4
"""So many <a> elements are looked at for each link that may be kept: most repeat others."""


class Truncations:
    """Counts, by the name of what was cut, how many of it were shortened or left out. Mutable."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def note(self, name: str, count: int = 1) -> None:
        if count:
            self.counts[name] = self.counts.get(name, 0) + count

    def text(self, name: str, text: str, most: int) -> str:
        """`text`, shortened to `most` characters."""
        if len(text) <= most:
            return text
        self.note(name)
        return text[:most]

    def utf8(self, name: str, text: bytes, most: int) -> bytes:
        """`text` in UTF-8, shortened to at most `most` bytes, between two characters."""
        if len(text) <= most:
            return text
        self.note(name)
        while most and text[most] & 0xC0 == 0x80:
            most -= 1
        return text[:most]

    def field(self, name: str, value: str | None) -> str | None:
        """The value of a header field, shortened."""
        return None if value is None else self.text(name, value, MAX_FIELD_CHARACTERS)

    def validator(self, name: str, value: str | None) -> str | None:
        """The value of a header field that is of no use unless it is whole: left out if it is too long."""
        if value is None or len(value) <= MAX_FIELD_CHARACTERS:
            return value
        self.note(name)
        return None

    def texts(self, name: str, texts: Sequence[str], most_of_one: int, most_of_all: int) -> list[str]:
        """Shortened one by one, and to nothing where all before have used up what is allowed."""
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
