"""Reads pages for a topic in a parser process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from hinterland.crawler.features.topics.model.topic_model import PageClassifier, TopicModel
from hinterland.crawler.features.topics.reading.link_reader import LinkReader
from hinterland.crawler.features.topics.reading.page_reading import PageReading
from hinterland.crawler.features.topics.reading.reader_order import ReaderConfig
from hinterland.crawler.parsing.page_readers import PageReader, PageUnreadable, ReadablePage
from hinterland.crawler.plugins.kinds import TOPIC_CLASSIFIER
from hinterland.crawler.plugins.loading import plugin_named


class TopicReader(PageReader):
    """Reads pages for a topic."""

    needs_text = True

    def __init__(self, topic: bytes, *, reads_links: bool, judge: PageClassifier | None = None) -> None:
        """Read with the classifier in the bytes `topic`, or with `judge`, a plug-in's classifier.

        With b"" and no `judge`, no page is relevant by its content. Raises DamagedFile.
        """
        model = TopicModel.from_bytes(topic) if topic and judge is None else None
        self._judge: PageClassifier | None = model if judge is None else _Guarded(judge)
        self._links = LinkReader(model) if reads_links else None
        self.needs_paths = reads_links

    def read(self, page: ReadablePage) -> bytes:
        """Return the encoded PageReading. Raises PageUnreadable."""
        return _encoder.encode(self.reading(page))

    def reading(self, page: ReadablePage) -> PageReading:
        """Return the reading of a page. Raises PageUnreadable."""
        parsed, content = page.page, page.content
        relevance = 0.0
        if self._judge is not None:
            headings = [each.text for each in content.headings]
            relevance = self._judge.relevance(parsed.title, headings, content.text, parsed.link_anchors)
        if self._links is None:
            return PageReading(relevance)
        return self._links.read(relevance, parsed.link_urls, parsed.link_anchors, content.link_paths, content.text)


_encoder: Final = msgspec.msgpack.Encoder()


class _Guarded:
    """Wraps a plug-in's classifier. If it raises an error, or does not return a probability, the page is unreadable."""

    def __init__(self, judge: PageClassifier) -> None:
        self._judge = judge

    def relevance(
        self, title: str, headings: Sequence[str], text: str | bytes, link_texts: Sequence[str] = ()
    ) -> float:
        """Return the probability that the classifier returned. Raises PageUnreadable."""
        try:
            found = self._judge.relevance(title, headings, text, link_texts)
        except MemoryError:
            raise
        except Exception as error:
            raise PageUnreadable(f"the topic classifier raised {type(error).__name__}: {error}") from error
        try:
            probability = float(found)
        except (TypeError, ValueError):
            probability = -1.0
        if not 0 <= probability <= 1:
            raise PageUnreadable(f"the topic classifier returned {found!r}, which is not a probability")
        return probability


def topic_reader(config: bytes) -> TopicReader:
    """Return the page reader for the topic of a crawl. Parser processes call this."""
    found = msgspec.msgpack.decode(config, type=ReaderConfig)
    if not found.plug_in:
        return TopicReader(found.model, reads_links=found.reads_links)
    judge = plugin_named(TOPIC_CLASSIFIER, found.plug_in, found.files).what()
    return TopicReader(b"", reads_links=found.reads_links, judge=judge)
