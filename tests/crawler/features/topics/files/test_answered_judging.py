"""Answers are asked for in several parts, and learnt from if they are likelier so."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from hinterland.crawler.features.topics.files.answered_judging import AnsweredJudging, Judged, judged_by_answers
from hinterland.crawler.features.topics.files.judging import Scores, learnt_again
from hinterland.crawler.features.topics.files.stored_pages import StoredPage
from hinterland.crawler.features.topics.model.examples import Background
from hinterland.crawler.features.topics.model.topic_file import Topic
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from hinterland.crawler.features.topics.model.words import word_model
from tests.support.topics import GARDEN, SEA, examples, page_about

ORCHARD = ["apple", "cider", "grafting", "rootstock", "pear", "blossom", "cherry", "orchard"]
"""Words of the topic that its examples lack."""
CITY = ["tram", "station", "council", "museum", "traffic", "avenue", "cinema", "market"]
"""Words of other pages that the examples lack, too."""


class Asked:
    """A store of 300 pages, one in ten about the topic, half of these in other words; somebody who answers."""

    def __init__(self, answer: Callable[[int], bool | None] = lambda page: page % 10 == 0) -> None:
        lot = random.Random(3)
        self._answer = answer
        self.asked: list[int] = []
        self.has_ended = False
        self.orders: list[Scores] = []
        self.pages = []
        for number in range(300):
            other = CITY if number % 10 < 4 else SEA
            words = other if number % 10 else GARDEN if number % 20 else ORCHARD
            host = f"http://h{number % 7}.test"
            self.pages.append(StoredPage(f"{host}/{number}", host, "", [], "", page_about(words, lot)))

    def answer(self, page: int) -> bool | None:
        self.asked.append(page)
        return self._answer(page)

    def page(self, page: int) -> StoredPage:
        return self.pages[page]

    def scores(self, model: TopicModel, most: int | None = None) -> Scores:
        log_odds = np.array([model.log_odds(page.words) for page in self.pages])
        self.orders.append(Scores(np.arange(300, dtype=np.int32), log_odds))
        return self.orders[-1]

    def judged(self, questions: int) -> tuple[Judged, AnsweredJudging | None]:
        topic = Topic("gardening", "", examples(3, 3), Background(), word_model("garden"))
        trained = learnt_again(topic, self.pages)
        assert trained is not None
        judged = Judged(topic, self.pages, trained.model, self.scores(trained.model), trained.space)
        return judged, judged_by_answers(judged, self, questions)


def f1(scores: Scores, bar: float) -> float:
    relevant, is_about = scores.log_odds >= bar, scores.pages % 10 == 0
    return float(2 * (relevant & is_about).sum() / (relevant.sum() + is_about.sum()))


def test_answers_are_learnt_from() -> None:
    asked = Asked()
    judged, found = asked.judged(20)
    assert found is not None
    assert len(asked.asked) == len(set(asked.asked)) == 20
    assert found.answers == {page: page % 10 == 0 for page in asked.asked}
    assert found.note == ""
    assert found.model is not judged.model
    assert f1(found.scores, found.found.bar.log_odds) > 0.8


def test_further_questions_are_about_pages_near_the_bar_of_what_was_learnt_by_then() -> None:
    asked = Asked()
    asked.judged(20)
    _, *learnt, _ = asked.orders
    parts = [asked.asked[first : first + 4] for first in (8, 12, 16)]
    assert len(learnt) == len(parts)
    near = 0
    for scores, part in zip(learnt, parts, strict=True):
        place = {int(page): rank for rank, page in enumerate(np.argsort(-scores.log_odds, kind="stable"))}
        near += sum(10 <= place[page] <= 130 for page in part)
    assert near >= 9


def test_whoever_ends_after_some_questions_is_asked_no_more() -> None:
    asked = Asked()

    def answer(page: int) -> bool | None:
        asked.has_ended = len(asked.asked) == 4
        return None if asked.has_ended else page % 10 == 0

    asked._answer = answer
    _, found = asked.judged(20)
    assert len(asked.asked) == 4
    assert found is not None
    assert len(found.answers) == 3


def test_without_any_answer_nothing_is_found() -> None:
    asked = Asked(lambda _page: None)
    _, found = asked.judged(20)
    assert found is None
    assert len(asked.asked) == len(set(asked.asked)) == 20


def test_answers_that_contradict_what_can_be_learnt_only_set_the_bar() -> None:
    lot = random.Random(5)
    judged, found = Asked(lambda _page: lot.random() < 0.3).judged(20)
    assert found is not None
    assert found.note.startswith("nothing is learnt from the answers") == (found.model is judged.model)


def test_a_single_question_is_enough() -> None:
    asked = Asked()
    _, found = asked.judged(1)
    assert found is not None
    assert len(asked.asked) == 1
