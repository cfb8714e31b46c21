"""From examples to the model of a topic. scikit-learn is imported when something is trained, never to judge a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crawler.topics.calibration import Bools, Calibration, Floats, calibrated
from crawler.topics.examples import Background, Example
from crawler.topics.page_rows import page_rows
from crawler.topics.topic_model import TopicModel

STATED_PRIOR: Final = 0.05
"""The share of a web that is taken to be about a topic while nothing is known of that web."""
_FOLDS: Final = 5
_ROUNDS: Final = 3
_REGULARISATION: Final = 10.0
_MOST_BACKGROUND_WEIGHT: Final = 5.0
"""All of the background together, in examples."""


@dataclass(frozen=True, slots=True)
class Trained:
    """notes: what the one who trains should know, a sentence each."""

    model: TopicModel
    notes: tuple[str, ...]


class CannotTrain(ValueError):
    """There is nothing to learn from; the message says what is missing and what to do."""


def train(examples: Sequence[Example], background: Background | None = None, *, prior: float | None = None) -> Trained:
    """A model of the topic of the examples.

    The background stands for what is not about the topic, as far as it is not: how likely each of its pages is, and
    which share is, is estimated in turn with the model (expectation and maximisation, after Nigam, McCallum, Thrun &
    Mitchell 2000). That share is the prior unless one is given. Probabilities are calibrated on the scores of pages
    whose host took no part in the training. Raises CannotTrain.
    """
    background = background or Background()
    if not any(example.is_about for example in examples):
        raise CannotTrain("there is no example of a page about the topic: give one with --like")
    if all(example.is_about for example in examples) and not background.pages:
        raise CannotTrain("all examples are about the topic: give others with --unlike, or a store with --store")
    notes: list[str] = []
    rows = page_rows([example.page for example in examples], background.pages)
    labels = np.array([*(float(example.is_about) for example in examples), *(0.0 for _ in background.pages)])
    is_example = np.arange(len(labels)) < len(examples)
    hosts = np.array([*(example.host for example in examples), *background.hosts])
    weights = np.ones(len(labels))
    weights[~is_example] = min(_MOST_BACKGROUND_WEIGHT / max(len(background.pages), 1), 1.0)
    if prior is None and not background.pages:
        notes.append(f"no store was given, so {STATED_PRIOR:.0%} of the web is taken to be about the topic")
    folds = _folds(hosts, labels > 0.5, is_example)
    calibration = Calibration(1.0, 0.0, STATED_PRIOR)
    for _ in range(_ROUNDS if background.pages else 1):
        scores = _held_out_scores(rows.values, labels, weights, folds)
        calibration = calibrated(scores[is_example], labels[is_example] > 0.5, scores[~is_example], prior=prior)
        odds = np.clip(calibration.log_odds(scores[~is_example]), -30, 30)
        labels[~is_example] = 1 / (1 + np.exp(-odds))
    direction, constant = _fit(rows.values, labels, weights)
    intercept = calibration.slope * constant + calibration.offset
    model = TopicModel(
        rows.weights_of(calibration.slope * direction), rows.rarity, intercept, calibration.prior, rows.head_weight
    )
    return Trained(model, tuple(notes))


def _fit(rows: Floats, labels: Floats, weights: Floats) -> tuple[Floats, float]:
    """Direction, shape (columns,), and constant. labels: from 0 to 1, how likely each is about the topic; both kinds
    weigh the same together."""
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
    """Of each page by a model that has seen none of its fold. Where some model would have seen one kind only, all
    are by one that has seen everything."""
    scores = np.zeros(len(labels))
    for fold in np.unique(folds):
        held = folds == fold
        if not (labels[~held] > 0.5).any() or not (labels[~held] < 0.5).any():
            direction, constant = _fit(rows, labels, weights)
            return rows @ direction + constant
        direction, constant = _fit(rows[~held], labels[~held], weights[~held])
        scores[held] = rows[held] @ direction + constant
    return scores


def _folds(hosts: NDArray[np.str_], is_about: Bools, is_example: Bools) -> NDArray[np.int64]:
    """A number for each page: the same for all of a host, unless the examples of a kind are all of one."""
    groups = hosts.copy()
    for kind in (is_about & is_example, ~is_about):
        if len(np.unique(hosts[kind])) < 2:
            groups = np.array([f"{number} {host}" for number, host in enumerate(hosts)])
    names, of_page = np.unique(groups, return_inverse=True)
    about = np.bincount(of_page, weights=is_about & is_example, minlength=len(names))
    order = np.lexsort((np.arange(len(names)), -about))  # those with examples of the topic are dealt out first
    fold_of_group = np.empty(len(names), np.int64)
    fold_of_group[order] = np.arange(len(names)) % _FOLDS
    return fold_of_group[of_page]
