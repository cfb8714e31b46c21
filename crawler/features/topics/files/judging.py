"""Judges the pages of a store by a topic, after the crawl."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hinterland.crawler.features.topics.files.stored_pages import StoredPage, background_of
from hinterland.crawler.features.topics.model.bar import LEAST_PAGES, Bar
from hinterland.crawler.features.topics.model.calibration import Floats
from hinterland.crawler.features.topics.model.examples import Example
from hinterland.crawler.features.topics.model.page_rows import RowSpace
from hinterland.crawler.features.topics.model.page_words import PageWordCounts
from hinterland.crawler.features.topics.model.topic_file import Topic
from hinterland.crawler.features.topics.model.topic_model import TopicModel, probability
from hinterland.crawler.features.topics.model.training import TrainedModel, train
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.records import IntArray
from hinterland.storage.values.topics import JudgementRecord

_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The numbers of all pages with text, ascending, and the log-odds that a model gives them; shape (n,) each."""

    pages: IntArray
    log_odds: Floats

    def judgements(self, bar: Bar | None) -> list[JudgementRecord]:
        """Return a judgement of every page. If `bar` is given, log-odds are relative to it."""
        log_odds = self.log_odds if bar is None else bar.moved(self.log_odds)
        return [
            JudgementRecord(page, probability(each))
            for page, each in zip(self.pages.tolist(), log_odds.tolist(), strict=True)
        ]


def learnt_again(
    topic: Topic, drawn: Sequence[StoredPage], answered: Sequence[Example] = (), space: RowSpace | None = None
) -> TrainedModel | None:
    """Train a topic's model again, for another store.

    `drawn` is a random sample of the pages of that store. It serves as the background, in place of the sample from the
    store for which the topic was made. `answered` are pages of that store that the user has judged; they are added at
    the end of the topic's examples. `space` is the row space of an earlier training with the same sample. Returns None
    if too few pages were drawn or no example is about the topic; then use the topic's own model. Raises CannotTrain.
    """
    answers = {example.address for example in answered}
    examples = [*(example for example in topic.examples if example.address not in answers), *answered]
    known = {example.address for example in examples}
    background = background_of(page for page in drawn if page.url not in known)
    if len(background.pages) < LEAST_PAGES or not any(example.is_about for example in examples):
        return None
    return train(examples, background, space=space, answers=len(answered))


def scores_of(
    store: StoreReader, model: TopicModel, report: Callable[[int, int], None] = lambda _done, _of: None
) -> Scores:
    """Return the log-odds of every fetched page whose text the store keeps.

    A crawl with this model would compute the same log-odds, except for texts of more than 400,000 bytes. `report` is
    called with the numbers of pages done and of all pages.
    """
    return scores_by_words(words_of_pages(store, model, report), model)


def scores_by_words(pages: Iterable[tuple[int, PageWordCounts]], model: TopicModel) -> Scores:
    """Return the log-odds of pages, given their numbers, ascending, and their words."""
    scored = [(number, model.log_odds(words)) for number, words in pages]
    return Scores(np.array([number for number, _ in scored], np.int32), np.array([each for _, each in scored]))


def words_of_pages(
    store: StoreReader,
    model: TopicModel,
    report: Callable[[int, int], None] = lambda _done, _of: None,
    most: int | None = None,
) -> Iterator[tuple[int, PageWordCounts]]:
    """Yield the numbers, ascending, and the words of all fetched pages with text, or of a random sample of `most`.

    The words are the words that count for `model`. They are the same for every model that agrees with `model` on
    whether to leave out the texts of links. `report` is called with the numbers of pages done and of all pages. The
    sample of a store is always the same.
    """
    numbers = store.pages.numbers_fetched()
    if most is not None and len(numbers) > most:
        numbers = sorted(random.Random(0).sample(numbers, most))
    for done, number in enumerate(numbers):
        if done % _AT_ONCE == 0:
            report(done, len(numbers))
        text, page = store.pages.text(number), store.pages.page(number)
        if text is None or page is None:
            continue
        links = store.links.texts_of(number) if model.leaves_out_links else ()
        yield number, model.words_of(page.title or "", [heading for _, heading in text.headings], text.text, links)
