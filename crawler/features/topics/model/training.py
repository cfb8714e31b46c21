"""Trains the model of a topic on examples. scikit-learn is needed for training, but not for judging pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.topics.model.calibration import Bools, Calibration, Floats, calibrated
from hinterland.crawler.features.topics.model.common_words import common_words
from hinterland.crawler.features.topics.model.examples import Background, Example
from hinterland.crawler.features.topics.model.one_class import one_class_model
from hinterland.crawler.features.topics.model.page_rows import RowSpace, is_enough, row_space
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from hinterland.crawler.features.topics.model.training_notes import notes_on_examples, notes_on_judgement

STATED_PRIOR: Final = 0.05
"""The share of a web that is assumed to be about a topic if nothing is known about that web."""
_FOLDS: Final = 5
_PARTS: Final = 20
"""Into how many parts the answers are divided to see how a model judges those that it has not learnt from."""
_ROUNDS: Final = 3
_REGULARISATION: Final = 10.0
_CERTAINTY: Final = 0.2
"""The weight of STATED_PRIOR, in pages, relative to the number of background pages. Scores are less normal than
calibration assumes, and their skew is mistaken for pages of the topic: for seven topics on a farm of 68 sites, the mean
estimate was .13 where .05 was true.
"""
_LEAST_CERTAINTY: Final = 20.0
_LEAST_APART: Final = 1.0
"""The least distance of the examples' held-out scores from those of the background, in standard deviations of the
latter. In three of ten draws of five examples, nothing learnt from one host helped for the others, and a model
calibrated on such scores judged all pages alike.
"""
_MOST_BACKGROUND_WEIGHT: Final = 5.0
"""The largest total weight of the background, in units of one example."""


@dataclass(frozen=True, slots=True, eq=False)
class TrainedModel:
    """The result of training.

    `held_out` is P(topic | page) of each example, by a model trained without its host. `left_out`, shape (answers,),
    are the log-odds of the examples that were counted as answers (see `train`), by models that were trained without the
    page, but with other pages of its host. `notes` holds sentences for the user. `space` can be reused when more
    examples are added.
    """

    model: TopicModel
    held_out: Floats
    notes: tuple[str, ...]
    space: RowSpace
    left_out: Floats


class CannotTrain(ValueError):
    """Raised if a topic cannot be learnt. The message says what is missing and what to do."""


def train(
    examples: Sequence[Example],
    background: Background | None = None,
    *,
    prior: float | None = None,
    space: RowSpace | None = None,
    answers: int = 0,
) -> TrainedModel:
    """Return a model of the topic of the examples. Raises CannotTrain.

    The background represents pages that are not about the topic, although some of its pages may be. The probability of
    each page, and the share of such pages, are estimated in turn with the model (expectation maximisation, after Nigam,
    McCallum, Thrun & Mitchell 2000). This share is the prior, unless `prior` is given.

    Probabilities are calibrated on pages that are scored by models trained without the pages of their hosts. If the
    examples have too few hosts, or hosts that are too different, each page is scored by a model trained without this
    page alone. `space` is the row space of an earlier training with the same background.

    The last `answers` examples are pages drawn at random from the web whose pages the model will judge. Their log-odds,
    `left_out` of the result, show how the model judges the other pages of that web.
    """
    background = background or Background()
    _refuse(examples, background)
    notes = notes_on_examples(examples, background)
    if all(example.is_about for example in examples) and not background.pages:
        return _of_one_class(examples, prior or STATED_PRIOR, notes, answers)
    examples_pages = [example.page for example in examples]
    if space is None:
        space = row_space(background.pages if is_enough(background.pages) else [*examples_pages, *background.pages])
    rows = space.rows([*examples_pages, *background.pages])
    labels = np.array([*(float(example.is_about) for example in examples), *(0.0 for _ in background.pages)])
    is_example = np.arange(len(labels)) < len(examples)
    hosts = np.array([*(example.host for example in examples), *background.hosts])
    weights = np.ones(len(labels))
    weights[~is_example] = min(_MOST_BACKGROUND_WEIGHT / max(len(background.pages), 1), 1.0)
    folds = _folds(hosts, labels > 0.5, is_example)
    is_about = labels[is_example] > 0.5
    calibration, scores = Calibration(1.0, 0.0, STATED_PRIOR), np.zeros(len(labels))
    for _ in range(_ROUNDS if background.pages else 1):
        scores = _held_out_scores(rows, labels, weights, folds)
        if not _are_apart(scores, is_example, labels):  # hosts say too little about each other
            folds = _folds(_each_its_own(hosts), labels > 0.5, is_example)
            scores = _held_out_scores(rows, labels, weights, folds)
        calibration = calibrated(
            scores[is_example],
            is_about,
            scores[~is_example],
            prior=prior,
            expected_prior=STATED_PRIOR,
            certainty=max(_LEAST_CERTAINTY, _CERTAINTY * len(background.pages)),
        )
        labels[~is_example] = _chances(calibration, scores[~is_example])
    direction, constant = _fit(rows, labels, weights)
    model = TopicModel(
        weights=space.weights_of(calibration.slope * direction),
        rarity=space.rarity,
        intercept=calibration.slope * constant + calibration.offset,
        prior=calibration.prior,
        head_weight=space.head_weight,
    )
    held_out = _chances(calibration, scores[is_example])
    last = np.arange(len(examples) - answers, len(examples))
    left_out = calibration.log_odds(_left_out_scores(rows, labels, weights, last))
    notes += notes_on_judgement(examples, held_out, labels[~is_example])
    return TrainedModel(model, held_out, tuple(notes), space, left_out)


def _of_one_class(examples: Sequence[Example], prior: float, notes: list[str], answers: int) -> TrainedModel:
    with_words = [example for example in examples if len(example.page.buckets)]
    pages = [example.page for example in with_words]
    model, log_odds = one_class_model(pages, common_words(), prior)
    held_out = np.full(len(examples), prior)
    held_out[[len(example.page.buckets) > 0 for example in examples]] = _probabilities(log_odds)
    notes.append(
        "all examples are about the topic: pages are judged by how similar they are, and probabilities are guesses;"
        " give a store with --store, or other pages with --unlike"
    )
    left_out = np.log(held_out / (1 - held_out))[len(examples) - answers :]
    return TrainedModel(model, held_out, tuple(notes), row_space(pages), left_out)


def _refuse(examples: Sequence[Example], background: Background) -> None:
    if not any(example.is_about for example in examples):
        raise CannotTrain("there is no example of a page about the topic: give one with --like")
    if not any(example.is_about and len(example.page.buckets) for example in examples):
        raise CannotTrain(
            "no example of a page about the topic contains any words; perhaps its text is made by scripts or is in"
            " pictures. Give other pages with --like, or words"
        )
    seen: dict[bytes, Example] = {}
    for example in examples:
        content = example.page.buckets.tobytes() + example.page.counts.tobytes()
        other = seen.setdefault(content, example)
        if other.is_about != example.is_about and len(example.page.buckets):
            raise CannotTrain(
                f"the examples contradict each other: {other.address} and {example.address} have the same text, but one"
                " is given as like and the other as unlike; leave one out"
            )


def _chances(calibration: Calibration, scores: Floats) -> Floats:
    return _probabilities(calibration.log_odds(scores))


def _probabilities(log_odds: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))


def _fit(rows: Floats, labels: Floats, weights: Floats) -> tuple[Floats, float]:
    """Return the direction, shape (columns,), and the constant of a classifier.

    `labels`, from 0 to 1, say how likely each page is about the topic. Both classes have the same total weight.
    """
    from sklearn.linear_model import LogisticRegression

    yes, no = np.flatnonzero(labels > 0), np.flatnonzero(labels < 1)
    of_yes, of_no = (weights * labels)[yes], (weights * (1 - labels))[no]
    half = min(of_yes.sum(), of_no.sum(), 20.0)
    learner = LogisticRegression(C=_REGULARISATION, max_iter=300, tol=1e-3)
    learner.fit(
        np.concatenate((rows[yes], rows[no])),
        np.concatenate((np.ones(len(yes)), np.zeros(len(no)))),
        np.concatenate((of_yes * half / of_yes.sum(), of_no * half / of_no.sum())),
    )
    return learner.coef_[0], float(learner.intercept_[0])


def _held_out_scores(rows: Floats, labels: Floats, weights: Floats, folds: NDArray[np.int64]) -> Floats:
    """Return the score of each page by a model trained without the pages of its fold.

    If a model would be trained on one class only, all scores are by one model trained on all pages.
    """
    scores = np.zeros(len(labels))
    for fold in np.unique(folds):
        held = folds == fold
        if not (labels[~held] > 0.5).any() or not (labels[~held] < 0.5).any():
            direction, constant = _fit(rows, labels, weights)
            return rows @ direction + constant
        direction, constant = _fit(rows[~held], labels[~held], weights[~held])
        scores[held] = rows[held] @ direction + constant
    return scores


def _left_out_scores(rows: Floats, labels: Floats, weights: Floats, places: NDArray[np.int64]) -> Floats:
    """Return the scores of the pages at these places.

    Each score is by a model that was trained without the page. To save time, a few of these pages share such a model.
    If no page about the topic would be left to train on, the model is trained on all pages.
    """
    scores = np.zeros(len(places))
    for part in range(min(_PARTS, len(places))):
        held = places[part::_PARTS]
        kept = np.ones(len(labels), np.bool_)
        kept[held] = False
        if not (labels[kept] > 0.5).any():
            kept[held] = True
        direction, constant = _fit(rows[kept], labels[kept], weights[kept])
        scores[part::_PARTS] = rows[held] @ direction + constant
    return scores


def _are_apart(scores: Floats, is_example: Bools, labels: Floats) -> bool:
    """Return whether the topic's examples score higher than the background by at least _LEAST_APART."""
    about = is_example & (labels > 0.5)
    others = scores[~is_example] if (~is_example).any() else scores[~about]
    if not len(others):
        return True
    return bool(scores[about].mean() - others.mean() >= _LEAST_APART * others.std())


def _each_its_own(hosts: NDArray[np.str_]) -> NDArray[np.str_]:
    """Return host names that are distinct for all pages, as if each page had a host of its own."""
    return np.array([f"{number} {host}" for number, host in enumerate(hosts)])


def _folds(hosts: NDArray[np.str_], is_about: Bools, is_example: Bools) -> NDArray[np.int64]:
    """Return the fold of each page.

    All pages of a host are in the same fold. But if all examples of a class come from one host, hosts do not count.
    """
    groups = hosts
    for kind in (is_about & is_example, ~is_about):
        if len(np.unique(hosts[kind])) < 2:
            groups = _each_its_own(hosts)
    names, of_page = np.unique(groups, return_inverse=True)
    about = np.bincount(of_page, weights=is_about & is_example, minlength=len(names))
    order = np.lexsort((np.arange(len(names)), -about))  # groups with examples of the topic are dealt out first
    fold_of_group = np.empty(len(names), np.int64)
    fold_of_group[order] = np.arange(len(names)) % _FOLDS
    return fold_of_group[of_page]
