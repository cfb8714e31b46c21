"""What a parser process reads of pages and their links for the sake of a topic, and what does so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

LIKENESSES: Final = ("url", "anchor", "surroundings")
"""The parts of a link whose words are held against the topic, each for itself."""
LINKS_A_PAGE: Final = 4
"""So many links to one page are read, and kept."""


class ClassifierFailed(Exception):
    """A classifier that is not ours did not judge a page; the message says what happened."""


class PageContent(NamedTuple):
    """What is read of a page. text: UTF-8, white space as in the source; urls, anchors, paths: of its links, shape
    (k,).
    """

    title: str
    headings: Sequence[str]
    text: bytes
    urls: Iterable[str]
    anchors: Sequence[str]
    paths: Sequence[str]


class PageReading(msgspec.Struct, frozen=True, array_like=True):
    """relevance: P(topic | page). Of each link of the page, in their order: how many features it has (`sizes`, uint8, 0
    if it was not read), which (`features`, uint16, all links' after one another), and how its words speak for the
    topic (`likenesses`, float32 log-odds, shape (k, 3), see LIKENESSES). In the machine's own byte order: both sides
    run on it.
    """

    relevance: float
    sizes: bytes = b""
    features: bytes = b""
    likenesses: bytes = b""


class PageReader(Protocol):
    """Reads pages for the sake of a topic."""

    @property
    def needs_text(self) -> bool:
        """Whether the visible text is wanted."""
        ...

    def read(self, page: PageContent) -> PageReading | None:
        """Raises ClassifierFailed."""
        ...


class NullPageReader:
    """In crawls without a topic."""

    needs_text = False

    def read(self, page: PageContent) -> None:
        return None
