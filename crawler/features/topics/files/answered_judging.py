"""Judges the pages of a store with the help of a user, who answers whether some of them are about the topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from hinterland.crawler.features.topics.files.judging import Scores, learnt_again
from hinterland.crawler.features.topics.files.stored_pages import StoredPage
from hinterland.crawler.features.topics.model.answered_bar import (
    AnsweredBar,
    PrecisionCurves,
    places_of,
    places_to_ask,
)
from hinterland.crawler.features.topics.model.calibration import Bools
from hinterland.crawler.features.topics.model.page_rows import RowSpace
from hinterland.crawler.features.topics.model.topic_file import Topic
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from hinterland.crawler.features.topics.model.training import CannotTrain, TrainedModel

_FIRST_PART: Final = 0.4
"""The share of the questions that are asked before anything is learnt from the answers."""
_FURTHER_PARTS: Final = 3
_MOST_ORDERED: Final = 10_000
"""The maximum number of pages that are judged again between two questions. Judging them takes a few seconds."""


class AskedPages(Protocol):
    """The pages to judge, and the user who answers questions about them. Pages are given by their numbers."""

    @property
    def has_ended(self) -> bool:
        """Whether the user gives no more answers."""

    def answer(self, page: int) -> bool | None:
        """Ask whether a page is about the topic; None if the user does not say."""

    def page(self, page: int) -> StoredPage:
        """Return a page about which the user has answered."""

    def scores(self, model: TopicModel, most: int | None = None) -> Scores:
        """Return the log-odds of all pages, or of a random sample of `most` pages."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A topic, and what is known about the pages to judge before the first answer.

    `drawn` is a random sample of these pages. `model` is the topic's model, and `scores` are its log-odds of the pages.
    `space` is the row space of the model's training, if it was trained on that sample.
    """

    topic: Topic
    drawn: Sequence[StoredPage]
    model: TopicModel
    scores: Scores
    space: RowSpace | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AnsweredJudging:
    """The result of judging: the model and its log-odds after the last answer, the bar, and the answers by page.

    `note` says why nothing was learnt from the answers, or is "".
    """

    model: TopicModel
    scores: Scores
    found: AnsweredBar
    answers: dict[int, bool]
    note: str = ""


def judged_by_answers(judged: Judged, pages: AskedPages, questions: int) -> AnsweredJudging | None:
    """Ask about pages, learn from the answers, and return the result; None if no question is answered.

    Two of five questions come first. They are about pages across the whole range from likely to unlikely, in random
    order. The other questions come in three parts. Before each part, a model learns from all answers so far and orders
    the pages; the questions are about pages near the bar in this order. In the end, a model learns from all answers. It
    is used only if it explains the answers better than the first model. For this comparison, each answer is predicted
    by a model that has learnt from other answers.
    """
    rng = np.random.default_rng(0)
    order = _ordered(judged.scores)
    first_part, *further_parts = _parts(questions)
    first = [order[place] for place in places_to_ask(len(order), first_part, rng)]
    answers: dict[int, bool] = {}
    asked = set(first)
    for page in rng.permutation(first).tolist():
        _ask(pages, page, answers)
    learnt, note = _learnt(judged, pages, answers)
    for part in further_parts:
        if pages.has_ended:
            break
        _ask_near_bar(judged, learnt, pages, questions=part, asked=asked, answers=answers, rng=rng)
        learnt, note = _learnt(judged, pages, answers)
    if not answers:
        return None
    rank = {page: place for place, page in enumerate(order)}
    is_about = _is_about(answers)
    found = PrecisionCurves(judged.scores.log_odds).bar([rank[page] for page in answers], is_about)
    if learnt is not None:
        scores = pages.scores(learnt.model)
        taught = PrecisionCurves(scores.log_odds).bar(places_of(learnt.left_out, scores.log_odds), is_about)
        if taught.evidence > found.evidence:
            return AnsweredJudging(learnt.model, scores, taught, answers)
        note = "nothing is learnt from the answers, because other pages would be judged worse"
    return AnsweredJudging(judged.model, judged.scores, found, answers, note)


def _parts(questions: int) -> list[int]:
    """Return how many questions each part has. Nothing is learnt between the questions of a part."""
    first = max(round(_FIRST_PART * questions), 1)
    further = np.array_split(np.arange(questions - first), _FURTHER_PARTS)
    return [first, *(len(part) for part in further if len(part))]


def _ask(pages: AskedPages, page: int, answers: dict[int, bool]) -> None:
    answer = None if pages.has_ended else pages.answer(page)
    if answer is not None:
        answers[page] = answer


def _ask_near_bar(
    judged: Judged,
    learnt: TrainedModel | None,
    pages: AskedPages,
    *,
    questions: int,
    asked: set[int],
    answers: dict[int, bool],
    rng: np.random.Generator,
) -> None:
    """Ask about pages near the bar in the order of the `learnt` model; add the answers to `answers`."""
    scores = judged.scores if learnt is None else pages.scores(learnt.model, _MOST_ORDERED)
    order = _ordered(scores)
    rank = {page: place for place, page in enumerate(order)}
    places = [rank[page] for page in answers] if learnt is None else places_of(learnt.left_out, scores.log_odds)
    curves = PrecisionCurves(scores.log_odds)
    for _ in range(min(questions, len(set(order) - asked))):
        place = curves.place_near_bar(places, _is_about(answers), rng)
        while order[place] in asked:
            place = (place + 1) % len(order)
        asked.add(order[place])
        before = len(answers)
        _ask(pages, order[place], answers)
        if len(answers) > before:
            places.append(place)


def _learnt(judged: Judged, pages: AskedPages, answers: dict[int, bool]) -> tuple[TrainedModel | None, str]:
    """Return a model that has also learnt from the answers, and ""; or None, and why there is no such model."""
    if not answers:
        return None, ""
    examples = [pages.page(number).as_example(is_about=is_about) for number, is_about in answers.items()]
    try:
        return learnt_again(judged.topic, judged.drawn, examples, judged.space), ""
    except CannotTrain as error:
        return None, f"nothing is learnt from the answers: {error}"


def _ordered(scores: Scores) -> list[int]:
    """Return the numbers of the pages, the pages most likely to be about the topic first."""
    return [int(page) for page in scores.pages[np.argsort(-scores.log_odds, kind="stable")]]


def _is_about(answers: dict[int, bool]) -> Bools:
    return np.array(list(answers.values()), np.bool_)
