"""What a parser process reads from pages and links for a topic, and the interface that does it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

LIKENESSES: Final = ("url", "anchor", "surroundings")
"""The parts of a link whose words are compared with the topic, each separately."""
LINKS_A_PAGE: Final = 4
"""How many links to one page are read and kept."""


class ClassifierFailed(Exception):
    """A plug-in classifier did not judge a page; the message says what happened."""


class PageContent(NamedTuple):
    """What a classifier reads of a page.

    `text` is UTF-8 with white space as in the source. `urls`, `anchors` and `paths` describe its links, shape (k,).
    """

    title: str
    headings: Sequence[str]
    text: bytes
    urls: Iterable[str]
    anchors: Sequence[str]
    paths: Sequence[str]


class PageReading(msgspec.Struct, frozen=True, array_like=True):
    """How relevant a page and its links are to the topic.

    `relevance` is P(topic | page). For each link, in order, `sizes` holds its number of features (uint8, 0 if it was
    not read), `features` the features of all links one after another (uint16), and `likenesses` how strongly its words
    point to the topic (float32 log-odds, shape (k, 3), see LIKENESSES). Byte order is the machine's, as both sides run
    on it.
    """

    relevance: float
    sizes: bytes = b""
    features: bytes = b""
    likenesses: bytes = b""


class PageReader(Protocol):
    """Reads pages for a topic."""

    @property
    def needs_text(self) -> bool:
        """Whether it reads the visible text."""
        ...

    def read(self, page: PageContent) -> PageReading | None:
        """Return how relevant the page is. Raises ClassifierFailed."""
        ...


class NullPageReader:
    """The page reader of crawls without a topic."""

    needs_text = False

    def read(self, page: PageContent) -> None:
        """Return None: there is no topic to read for."""
