"""Reads, in the parser processes, the meta elements of a page that say how the page may be used. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.parsing.page_readers import PageReader, ReadablePage, ReaderOrder

READER: Final = ReaderOrder("usage", f"{__name__}:reader")
_NAMES: Final = frozenset({"tdm-reservation", "tdm-policy", "content-usage", "content-signal"})
_WORDS: Final = ("noai", "noimageai")
"""Words of a robots element about usage. Robots elements without them are not read."""
_MOST_ELEMENTS: Final = 20
_MOST_CHARACTERS: Final = 500
"""Limit of the content of an element; no honest one is that long."""

Elements = list[tuple[str, str]]
"""The name, in lower case, and the content of meta elements."""


class UsageReader(PageReader):
    """Reads the elements that say how the page may be used."""

    def read(self, page: ReadablePage) -> bytes:
        """Return the elements of a page, encoded as bytes."""
        found = [each for each in page.content.metadata if is_about_usage(*each)]
        return (
            _encoder.encode([(name, content[:_MOST_CHARACTERS]) for name, content in found[:_MOST_ELEMENTS]])
            if found
            else b""
        )


def reader(_config: bytes) -> UsageReader:
    """Return the reader of usage statements. Parser processes call this."""
    return UsageReader()


def elements_of(digest: PageDigest) -> Sequence[tuple[str, str]]:
    """Return the elements that were read from a page, as (name, content)."""
    found = digest.readings.get(READER.name)
    return () if found is None else _decoder.decode(found)


def is_about_usage(name: str, content: str) -> bool:
    """Return whether a meta element says how the page may be used, for instance to train a model."""
    return name in _NAMES or (name == "robots" and any(word in content.lower() for word in _WORDS))


_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(Elements)
