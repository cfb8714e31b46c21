"""Judges the pages of a store by a topic, after the crawl."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from hinterland.crawler.features.topics.model.topic_model import TopicModel
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.topics import JudgementRecord

_AT_ONCE: Final = 200


def judged(
    store: StoreReader, model: TopicModel, report: Callable[[int, int], None] = lambda _done, _of: None
) -> Iterator[JudgementRecord]:
    """Yield a judgement of every fetched page whose text the store keeps.

    A crawl with this topic would judge the same, except for texts of more than 400,000 bytes. `report` is called with
    the number of pages done and that of all pages.
    """
    numbers = store.pages.numbers_fetched()
    for done, number in enumerate(numbers):
        if done % _AT_ONCE == 0:
            report(done, len(numbers))
        text, page = store.pages.text(number), store.pages.page(number)
        if text is None or page is None:
            continue
        links = store.links.texts_of(number) if model.leaves_out_links else ()
        headings = [heading for _, heading in text.headings]
        yield JudgementRecord(number, model.relevance(page.title or "", headings, text.text, links))
