"""Runs of `topic judge --ask`: half of the hosts give a topic, the pages of the others are judged and asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.topic_judging.labelled_pages import LabelledPages, drawn, halves
from hinterland.crawler.features.topics.files.answered_judging import Judged, judged_by_answers
from hinterland.crawler.features.topics.files.judging import Scores, learnt_again
from hinterland.crawler.features.topics.files.stored_pages import DRAWN, MOST_TITLED, StoredPage
from hinterland.crawler.features.topics.model.answered_bar import Estimate
from hinterland.crawler.features.topics.model.examples import Background, Example
from hinterland.crawler.features.topics.model.page_rows import matrix, rarity_of
from hinterland.crawler.features.topics.model.topic_file import Topic
from hinterland.crawler.features.topics.model.topic_model import MOST_LOG_ODDS, TopicModel
from hinterland.crawler.features.topics.model.words import pages_that_answer, word_model

KINDS: Final = {"3 words": 0, "5 examples": 5, "20 examples": 20}
"""Ways to make a topic -> the number of examples. Half of twenty are about the topic, all of five are."""

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Said:
    """What the user is shown of one measure, and what is true, in whole percents as shown."""

    said: float
    low: float
    high: float
    true: float

    @property
    def holds(self) -> bool:
        """Whether the interval contains the true value."""
        return self.low <= self.true <= self.high


@dataclass(frozen=True, slots=True)
class Run:
    """The result of one run. All measures leave out the pages that were asked about.

    `f1` is that of the pages called relevant, `best` the largest at any threshold with the same scores. `share` is the
    share of the judged pages that are about the topic, `yes` the number of answers that were yes.
    """

    topic: str
    kind: str
    draw: int
    share: float
    yes: int
    f1: float
    best: float
    precision: Said
    recall: Said


class KnownPages:
    """Judged pages that are known to be about the topic or not, in place of a user."""

    def __init__(self, pages: Sequence[StoredPage], truth: Bools) -> None:
        """Keep the pages, whose numbers are their places, and which of them are about the topic."""
        self._pages, self._truth = pages, truth

    @property
    def has_ended(self) -> bool:
        """Return False, as all questions are answered."""
        return False

    def answer(self, page: int) -> bool:
        """Return whether a page is about the topic."""
        return bool(self._truth[page])

    def page(self, page: int) -> StoredPage:
        """Return a page."""
        return self._pages[page]

    def scores(self, model: TopicModel, most: int | None = None) -> Scores:
        """Return the log-odds of all pages."""
        rows = matrix([page.words for page in self._pages], model.rarity, model.head_weight)
        log_odds = np.asarray(rows @ model.weights, np.float64) + model.intercept
        return Scores(np.arange(len(self._pages), dtype=np.int32), np.clip(log_odds, -MOST_LOG_ODDS, MOST_LOG_ODDS))


def run(labelled: LabelledPages, topic: str, kind: str, draw: int, questions: int) -> Run | None:
    """Return the result of one run; None if the words of the topic match no page."""
    is_about = labelled.about(topic)
    known = halves(labelled.hosts, is_about, draw)
    lot = np.random.default_rng(draw)
    examples = _examples(labelled, topic, kind, known=known, seed=draw)
    if not examples:
        return None
    places = np.flatnonzero(~known).tolist()
    pages, truth = [labelled.pages[place] for place in places], is_about[places]
    asked = KnownPages(pages, truth)
    sample = [pages[place] for place in lot.permutation(len(pages))[:DRAWN].tolist()]
    made = Topic(topic, topic if kind == "3 words" else "", examples, Background(), word_model(topic))
    trained = learnt_again(made, sample)
    if trained is None:
        return None
    judged = Judged(made, sample, trained.model, asked.scores(trained.model), trained.space)
    answered = judged_by_answers(judged, asked, questions)
    if answered is None:
        return None
    others = np.ones(len(pages), np.bool_)
    others[list(answered.answers)] = False
    scores, relevant = answered.scores.log_odds[others], (answered.scores.log_odds >= answered.found.bar.log_odds)
    right = float((relevant[others] & truth[others]).sum())
    precision, recall = right / max(relevant[others].sum(), 1), right / max(truth[others].sum(), 1)
    return Run(
        topic=topic,
        kind=kind,
        draw=draw,
        share=float(truth.mean()),
        yes=sum(answered.answers.values()),
        f1=2 * right / max(relevant[others].sum() + truth[others].sum(), 1),
        best=best_f1(scores, truth[others]),
        precision=_said(answered.found.precision, precision),
        recall=_said(answered.found.recall, recall),
    )


def best_f1(scores: Floats, truth: Bools) -> float:
    """Return the largest F1 at any threshold of the scores."""
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum(truth[order])
    return float((2 * right / (np.arange(1, len(order) + 1) + truth.sum())).max())


def _examples(labelled: LabelledPages, topic: str, kind: str, *, known: Bools, seed: int) -> list[Example]:
    """Return the examples of a topic from the known pages; three words choose theirs as `topic new` does."""
    is_about = labelled.about(topic)
    count = KINDS[kind]
    if count:
        yes = drawn(labelled.hosts, known & is_about, min(count, 10), seed)
        no = drawn(labelled.hosts, known & ~is_about, count - len(yes), seed) if count > len(yes) else []
        return [labelled.pages[place].as_example(is_about=bool(is_about[place])) for place in [*yes, *no]]
    words = topic.split()
    sample = np.random.default_rng(seed).permutation(np.flatnonzero(known))[:DRAWN].tolist()
    found = {place: _words_named(labelled.pages[place], words) for place in np.flatnonzero(known).tolist()}
    titled = sorted((place for place in found if found[place]), key=lambda place: -found[place])[:MOST_TITLED]
    candidates = [labelled.pages[place].as_example(is_about=True) for place in dict.fromkeys([*sample, *titled])]
    return pages_that_answer(topic, candidates, rarity_of([labelled.pages[place].words for place in sample]))


def _words_named(page: StoredPage, words: Sequence[str]) -> int:
    return sum(word in page.title.lower() or word in page.url.lower() for word in words)


def _said(estimate: Estimate, true: float) -> Said:
    return Said(round(estimate.value, 2), round(estimate.low, 2), round(estimate.high, 2), round(float(true), 2))
