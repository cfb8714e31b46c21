"""Reads pages for a topic in a parser process."""

from __future__ import annotations

from collections.abc import Sequence

from hinterland.crawler.features.topics.model.topic_model import PageClassifier, TopicModel
from hinterland.crawler.features.topics.reading.link_reader import LinkReader
from hinterland.crawler.parsing.messages import ParserConfig
from hinterland.crawler.parsing.page_readings import ClassifierFailed, PageContent, PageReading
from hinterland.crawler.plugins.kinds import TOPIC_CLASSIFIER
from hinterland.crawler.plugins.loading import plugin_named


class TopicReader:
    """Reads pages for a topic."""

    needs_text = True

    def __init__(self, topic: bytes, *, reads_links: bool, judge: PageClassifier | None = None) -> None:
        """Read with the classifier in the bytes `topic`, or with `judge`, a plug-in's classifier.

        With b"" and no `judge`, no page is relevant by its content. Raises DamagedFile.
        """
        model = TopicModel.from_bytes(topic) if topic and judge is None else None
        self._judge: PageClassifier | None = model if judge is None else _Guarded(judge)
        self._links = LinkReader(model) if reads_links else None

    def read(self, page: PageContent) -> PageReading:
        """Return the reading of a page. Raises ClassifierFailed."""
        relevance = 0.0
        if self._judge is not None:
            relevance = self._judge.relevance(page.title, page.headings, page.text, page.anchors)
        if self._links is None:
            return PageReading(relevance)
        return self._links.read(relevance, page.urls, page.anchors, page.paths, page.text)


class _Guarded:
    """Wraps a plug-in's classifier: if it raises, or returns anything but a probability, the page fails."""

    def __init__(self, judge: PageClassifier) -> None:
        self._judge = judge

    def relevance(
        self, title: str, headings: Sequence[str], text: str | bytes, link_texts: Sequence[str] = ()
    ) -> float:
        """Return the probability that the classifier returned. Raises ClassifierFailed."""
        try:
            found = self._judge.relevance(title, headings, text, link_texts)
        except MemoryError:
            raise
        except Exception as error:
            raise ClassifierFailed(f"the topic classifier raised {type(error).__name__}: {error}") from error
        try:
            probability = float(found)
        except (TypeError, ValueError):
            probability = -1.0
        if not 0 <= probability <= 1:
            raise ClassifierFailed(f"the topic classifier said {found!r}, which is not a probability")
        return probability


def topic_reader(config: ParserConfig) -> TopicReader:
    """Return the page reader for the topic of a crawl; it is called in parser processes."""
    if not config.classifier:
        return TopicReader(config.topic, reads_links=config.reads_links)
    name, *files = config.classifier
    judge = plugin_named(TOPIC_CLASSIFIER, name, files).what()
    return TopicReader(b"", reads_links=config.reads_links, judge=judge)
