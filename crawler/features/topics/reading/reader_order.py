"""Says how parser processes make the topic's page reader, without importing the reader here, since that needs numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from hinterland.crawler.features.topics.reading.page_reading import READER
from hinterland.crawler.parsing.page_readers import ReaderOrder
from hinterland.storage.values.topics import TopicRecord

_MAKER: Final = "hinterland.crawler.features.topics.reading.topic_reader:topic_reader"


class ReaderConfig(msgspec.Struct, frozen=True, array_like=True):
    """What the reader is made from.

    `model` is the classifier, b"" for none. `plug_in` is the name of a plug-in's classifier, "" for none, and `files`
    are the absolute paths of the plug-in files in which it may be. `reads_links` says whether links are scored as well.
    """

    model: bytes
    plug_in: str
    files: list[str]
    reads_links: bool


def reader_order(topic: TopicRecord, plugins: Sequence[str], *, reads_links: bool) -> ReaderOrder | None:
    """Return the `ReaderOrder` for a topic; None if it has no classifier and links are not read."""
    if not (topic.model or reads_links):
        return None
    config = ReaderConfig(topic.model or b"", topic.plug_in, list(plugins), reads_links)
    return ReaderOrder(READER, _MAKER, msgspec.msgpack.encode(config))
