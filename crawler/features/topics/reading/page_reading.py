"""What parser processes read from pages and links for a topic."""

from __future__ import annotations

from typing import Final

import msgspec

from hinterland.crawler.parsing.messages import PageDigest

READER: Final = "topic"
"""The name of the topic's page reader."""
LIKENESSES: Final = ("url", "anchor", "surroundings")
"""The parts of a link whose words are compared with the topic separately."""
LINKS_A_PAGE: Final = 4
"""How many links to one page are read and kept."""


class PageReading(msgspec.Struct, frozen=True, array_like=True):
    """How likely a page is about the topic, and the features of its links.

    `relevance` is P(topic | page). `sizes` holds the number of features of each link, in order (uint8, 0 if it was not
    read). `features` holds the features of all links one after another (uint16). `likenesses` says how strongly the
    words of each link point to the topic (float32 log-odds, shape (k, 3), see LIKENESSES). Byte order is the machine's,
    since both sides run on the same machine.
    """

    relevance: float
    sizes: bytes = b""
    features: bytes = b""
    likenesses: bytes = b""


def reading_of(digest: PageDigest | None) -> PageReading | None:
    """Return what was read from a page for the topic; None if the page was not read for a topic."""
    reading = None if digest is None else digest.readings.get(READER)
    return None if reading is None else _decoder.decode(reading)


_decoder = msgspec.msgpack.Decoder(PageReading)
