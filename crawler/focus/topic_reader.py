"""What a parser process reads of a page for the sake of the topic."""

from __future__ import annotations

from crawler.focus.link_reader import LinkReader
from crawler.focus.readings import PageContent, PageReading
from crawler.topics.topic_model import TopicModel


class TopicReader:
    """topic: a classifier as bytes, b"" for none; then no page is relevant as such. Raises DamagedFile."""

    needs_text = True

    def __init__(self, topic: bytes, *, reads_links: bool) -> None:
        self._model = TopicModel.from_bytes(topic) if topic else None
        self._links = LinkReader(self._model) if reads_links else None

    def read(self, page: PageContent) -> PageReading:
        relevance = 0.0
        if self._model is not None:
            relevance = self._model.relevance(page.title, page.headings, page.text, page.anchors)
        if self._links is None:
            return PageReading(relevance)
        return self._links.read(relevance, page.urls, page.anchors, page.paths, page.text)
