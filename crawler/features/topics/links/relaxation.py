"""Classifies pages by their own words and by the classes of their neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import BoolArray, FloatArray, Graph, IntArray, OffsetArray

UNKNOWN = -1
MOST_NEIGHBOURS = 3.0
"""All outlinks of a page together weigh at most as much as this many independent ones, and so do all inlinks. Menus and
templates make neighbours agree, so a greater weight would override the page's own words.
"""
TOLERANCE = 1e-3
"""Labels count as stable if no chance changes by more than this from one round to the next."""

_ALIKE = 10.0
"""The prior weighs as much as this many pages of each class, half of whose links lead to their own class."""
_LEAST = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """The labels of pages after relaxation labelling.

    `chances` is P(class | page, its neighbours), shape (n, k), rows sum to 1. `rounds` is the number of rounds, and
    `change` the largest change of a chance in the last one.
    """

    chances: FloatArray
    rounds: int
    change: float

    @property
    def is_stable(self) -> bool:
        """Whether the last round changed no chance by more than TOLERANCE."""
        return self.change <= TOLERANCE


def relaxed(
    graph: Graph,
    chances: FloatArray,
    known: IntArray | None = None,
    *,
    most_neighbours: float = MOST_NEIGHBOURS,
    max_rounds: int = 300,
) -> Relaxed:
    """Return the labels of pages after relaxation labelling (Chakrabarti, Dom & Indyk 1998).

    `chances` is P(class | text) of each page, shape (n, k), k ≥ 2. `known` is the class of each page, or UNKNOWN, shape
    (n,); known classes do not change. In each round

      ln P(c | i) = ln P(c | text of i) + w(out) mean over j in out(i) of ln Σ_d P(d | j) A(c, d) / P(d)
                                        + w(in)  mean over j in in(i)  of ln Σ_d P(d | j) B(c, d) / P(d) + constant

    A(c, d) is the mean share of links to class d among the outlinks of pages of class c, B the same for inlinks, and
    P(d) the share for any page. w is the number of neighbours, at most `most_neighbours`. A and B are learnt from the
    classes of the previous round, where each page has a weight that grows with the certainty of its class, and from a
    prior that pages tend to link to their own class. So A and B may also learn that links lead mostly to other classes.
    Each round moves the labels only halfway to the new ones, since otherwise they might oscillate.

    The rounds end when no chance changes by more than TOLERANCE, or after `max_rounds`, see `is_stable`. Raises
    ValueError for shapes that do not fit.
    """
    n, classes = graph.page_count, chances.shape[1] if chances.ndim == 2 else 0
    labels = np.full(n, UNKNOWN, np.int32) if known is None else known
    if chances.shape != (n, classes) or classes < 2 or labels.shape != (n,) or labels.max(initial=UNKNOWN) >= classes:
        raise ValueError(
            f"shapes {chances.shape} of chances and {labels.shape} of known do not fit {n} pages, 2 classes or more"
        )
    own = np.log(np.maximum(chances, _LEAST))
    is_known = labels != UNKNOWN
    current = _clamped(chances / chances.sum(1, keepdims=True), labels, is_known)
    sides = [each for each in (graph, graph.transposed) if each.link_count]
    change, rounds = 0.0, 0
    while rounds < max_rounds:
        rounds += 1
        evidence = own.copy()
        for side in sides:
            weights = np.minimum(side.outdegrees, most_neighbours)[:, None]
            evidence += weights * _mean_over_links(side, _messages(side, current, _certainty(current)))
        turned = np.exp(evidence - evidence.max(1, keepdims=True))
        turned = _clamped(turned / turned.sum(1, keepdims=True), labels, is_known)
        following = (current + turned) / 2
        change = float(np.abs(following - current).max(initial=0.0))
        current = following
        if change <= TOLERANCE:
            break
    return Relaxed(current, rounds, change)


def _clamped(chances: FloatArray, labels: IntArray, is_known: BoolArray) -> FloatArray:
    fixed = chances.copy()
    fixed[is_known] = 0
    fixed[is_known, labels[is_known]] = 1
    return fixed


def _certainty(chances: FloatArray) -> FloatArray:
    """Return how much more certain the class of each page is than the class of a random page, from 0 to 1, shape (n,).

    Pages whose class is only a guess must not count, since they would suggest that links lead to any class.
    """
    anyone = chances.mean(0)
    further = np.abs(chances - anyone).sum(1)
    return np.asarray(np.clip(further / np.maximum(2 * (1 - chances @ anyone), _LEAST), 0, 1))


def _messages(side: Graph, chances: FloatArray, certainty: FloatArray) -> FloatArray:
    """Return what each page, as the target of a link, says about the class of the link's source.

    The result holds log-likelihoods up to a constant, shape (n, k).
    """
    classes = chances.shape[1]
    sure = chances * certainty[:, None]
    pairs = sure.T @ _mean_over_links(side, sure)
    marginal = (chances.sum(0) + 1) / (len(chances) + classes)
    alike = (np.eye(classes) + marginal) / 2
    of_class = pairs + _ALIKE * alike
    shares = of_class / of_class.sum(1, keepdims=True)
    ratios = shares / np.maximum(marginal @ shares, _LEAST)
    return np.asarray(np.log(np.maximum(chances @ ratios.T, _LEAST)))


def _mean_over_links(side: Graph, values: FloatArray) -> FloatArray:
    return _means(side.offsets, side.targets, np.ascontiguousarray(values))


@compiled
def _means(offsets: OffsetArray, targets: IntArray, values: FloatArray) -> FloatArray:
    """Return the mean of the rows of each page's successors, shape (n, k); 0 without successors."""
    found = np.zeros_like(values)
    for page in range(len(offsets) - 1):
        count = offsets[page + 1] - offsets[page]
        for place in range(offsets[page], offsets[page + 1]):
            for column in range(values.shape[1]):
                found[page, column] += values[targets[place], column] / count
    return found
