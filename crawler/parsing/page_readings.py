"""What a parser process reads from pages and links for a topic, and the interface of page readers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

LIKENESSES: Final = ("url", "anchor", "surroundings")
"""The parts of a link whose words are compared with the topic separately."""
LINKS_A_PAGE: Final = 4
"""How many links to one page are read and kept."""


class ClassifierFailed(Exception):
    """A plug-in classifier failed to judge a page; the message says how."""


class PageContent(NamedTuple):
    """The content of a page that a classifier judges.

    `text` is UTF-8, its blocks separated by empty lines. `urls`, `anchors` and `paths` describe its links, shape (k,).
    """

    title: str
    headings: Sequence[str]
    text: bytes
    urls: Iterable[str]
    anchors: Sequence[str]
    paths: Sequence[str]


class PageReading(msgspec.Struct, frozen=True, array_like=True):
    """How relevant a page and its links are to the topic.

    `relevance` is P(topic | page). `sizes` holds the number of features of each link, in order (uint8, 0 if it was not
    read). `features` holds the features of all links one after another (uint16). `likenesses` says how strongly the
    words of each link point to the topic (float32 log-odds, shape (k, 3), see LIKENESSES). Byte order is the machine's,
    since both sides run on the same machine.
    """

    relevance: float
    sizes: bytes = b""
    features: bytes = b""
    likenesses: bytes = b""


class PageReader(Protocol):
    """Reads pages for a topic."""

    @property
    def needs_text(self) -> bool:
        """Whether the reader needs the visible text."""
        ...

    def read(self, page: PageContent) -> PageReading | None:
        """Return how relevant the page and its links are. Raises ClassifierFailed."""
        ...


class NullPageReader:
    """The page reader of crawls without a topic."""

    needs_text = False

    def read(self, page: PageContent) -> None:
        """Return None, since there is no topic."""
