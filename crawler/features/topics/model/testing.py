"""Tests a topic on hosts that its model has not seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hinterland.crawler.features.topics.model.calibration import Bools, Floats, calibration_error
from hinterland.crawler.features.topics.model.examples import Example

LEAST_HOSTS: Final = 5
"""The fewest hosts of each class for reliable measures on held-out hosts."""
_RESAMPLES: Final = 1_000

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Measure:
    """A value that was measured, and its 95 % bootstrap interval over hosts."""

    value: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class TestReport:
    """Measures of a topic on held-out hosts.

    `yes` and `no` count the examples of each class; `hosts_of_yes` and `hosts_of_no` count their hosts. Examples that
    were chosen by words do not count, since nobody has judged them.
    """

    yes: int
    no: int
    hosts_of_yes: int
    hosts_of_no: int
    precision: Measure
    recall: Measure
    f1: Measure
    macro_f1: Measure
    calibration_error: Measure
    warnings: Sequence[str]


def report(examples: Sequence[Example], chances: Floats) -> TestReport:
    """Return the measures of a topic.

    `chances` is P(topic | page) of each example, by a model that was trained without its host.
    """
    given = np.array([example.is_given for example in examples], bool)
    is_about = np.array([example.is_about for example in examples], bool)[given]
    hosts = np.array([example.host for example in examples])[given]
    chances = chances[given]
    of_yes, of_no = len(np.unique(hosts[is_about])), len(np.unique(hosts[~is_about]))
    warnings = []
    if min(of_yes, of_no) < LEAST_HOSTS:
        warnings.append(
            f"hosts with the topic: {of_yes}, without: {of_no}; with fewer than {LEAST_HOSTS} of"
            " each, measures on held-out hosts are unreliable: take them as a hint"
        )
    if of_yes < 2 or of_no < 2:
        warnings.append(
            "one kind of examples comes from a single host: pages were held out one by one, so the numbers are too good"
        )
    drawn = _resampled(hosts)
    measures = {
        name: Measure(measure(chances, is_about), _interval([measure(chances[rows], is_about[rows]) for rows in drawn]))
        for name, measure in _MEASURES.items()
    }
    return TestReport(
        yes=int(is_about.sum()),
        no=int((~is_about).sum()),
        hosts_of_yes=of_yes,
        hosts_of_no=of_no,
        warnings=warnings,
        **measures,
    )


def precision(chances: Floats, is_about: Bools) -> float:
    """Return the share of pages above 0.5 that are about the topic, NaN if there are none."""
    said = chances > 0.5
    return float((said & is_about).sum() / said.sum()) if said.any() else math.nan


def recall(chances: Floats, is_about: Bools) -> float:
    """Return the share of the pages about the topic that are above 0.5, NaN if there are none."""
    return float(((chances > 0.5) & is_about).sum() / is_about.sum()) if is_about.any() else math.nan


def f1(chances: Floats, is_about: Bools) -> float:
    """Return the harmonic mean of precision and recall, NaN if no page is about the topic."""
    said = chances > 0.5
    both = said.sum() + is_about.sum()
    return float(2 * (said & is_about).sum() / both) if both else math.nan


def macro_f1(chances: Floats, is_about: Bools) -> float:
    """Return the mean of F1 for the pages about the topic and for the others."""
    return (f1(chances, is_about) + f1(1 - chances, ~is_about)) / 2


_MEASURES: Final[dict[str, Callable[[Floats, Bools], float]]] = {
    "precision": precision,
    "recall": recall,
    "f1": f1,
    "macro_f1": macro_f1,
    "calibration_error": calibration_error,
}


def _resampled(hosts: np.ndarray) -> list[np.ndarray]:
    """Return samples of rows for the cluster bootstrap.

    For each sample, n of the n hosts are drawn with replacement, with all their rows.
    """
    rng = np.random.default_rng(0)
    names, of_row = np.unique(hosts, return_inverse=True)
    rows = [np.flatnonzero(of_row == number) for number in range(len(names))]
    if not rows:
        return []
    return [np.concatenate([rows[each] for each in rng.integers(0, len(rows), len(rows))]) for _ in range(_RESAMPLES)]


def _interval(values: Sequence[float]) -> Interval:
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return math.nan, math.nan
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)
