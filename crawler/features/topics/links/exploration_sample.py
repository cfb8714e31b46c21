"""Pages drawn by lot among all that wait: on these a learner is tested that chooses all others itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hinterland.analysis.graph import FloatArray, IntArray
from hinterland.analysis.sampling import sampling_numbers


@dataclass(frozen=True, slots=True)
class Draw:
    """A page that was drawn by lot, and visited. promise: what was said of it when it was drawn; relevance, worth: what
    it turned out to be, and what that was worth to the learner; turn: the number of the visit at which its promise
    alone would have brought it, had nothing changed.
    """

    page: int
    predicted: float
    relevance: float
    worth: float
    turn: int


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """waiting: ascending, shape (n,), and the place of each in the order, shape (n,). The others in the order in which
    lots come up, shape (k,) each; lots: when they do.
    """

    waiting: IntArray
    places: IntArray
    pages: IntArray
    predicted: FloatArray
    turns: IntArray
    due: FloatArray


def order_with_sample(predicted: FloatArray, pages: IntArray, share: float) -> IntArray:
    """The places of the pages in the order in which such a share of them comes at random and the others by their
    promise, shape (k,). share: below 1; 0 for no sample.
    """
    turns = (_places(predicted) + 1) / (1 - share)
    if share:
        turns = np.minimum(turns, _turns(_places(-sampling_numbers(pages)), share))
    order: IntArray = np.argsort(turns, kind="stable").astype(np.int32)
    return order


def in_this_order(order: IntArray, scores: FloatArray) -> FloatArray:
    """Urgencies of pages that come in an order: that of the page which comes j-th is the j-th largest score, whatever
    made it come j-th. Shape (k,), all of them.
    """
    urgencies = np.empty(len(order))
    urgencies[order] = -np.sort(-scores)
    return urgencies


class ExplorationSample:
    """Mutable: which draws of a refresh have come up, under the order of `order_with_sample`.

    A page counts when its lot comes up, whether that brought it or its promise had done so before. So every page that
    waited is as likely to count as any other, whatever was promised of it. A lot comes up as the visits come to its
    place in the order: pages found since the refresh may go before, and how many do depends on what they promise.
    """

    def __init__(self, share: float) -> None:
        self._share = share
        nothing = np.zeros(0, np.int32)
        self._refreshed: _Drawn | None = None  # not taken over yet
        self._drawn = _Drawn(nothing, nothing, nothing, np.zeros(0), nothing, np.zeros(0))
        self._number_of: dict[int, int] = {}
        self._reached = self._up = 0  # in the order; lots that have come up
        self._seen: dict[int, tuple[float, float]] = {}

    def refreshed(self, waiting: IntArray, predicted: FloatArray, order: IntArray, visits: int, batch: int) -> None:
        """In another thread. waiting: ascending; order: as `order_with_sample` has it; visits: how many there were;
        batch: about how many there will be until the next refresh. No more than twice as many will count.
        """
        most = int(2 * self._share * batch) + 1
        numbers = sampling_numbers(waiting)
        first = np.argpartition(numbers, most)[:most] if most < len(numbers) else np.arange(len(numbers))
        first = first[np.argsort(numbers[first], kind="stable")]
        sooner = np.searchsorted(np.sort(-predicted), -predicted[first])
        places = np.empty(len(waiting), np.int32)
        places[order] = np.arange(len(waiting), dtype=np.int32)
        turns = (visits + 1 + sooner).astype(np.int32)
        due = np.minimum(_turns(np.arange(len(first), dtype=np.int32), self._share), len(waiting))
        self._refreshed = _Drawn(waiting, places, waiting[first], predicted[first], turns, due)

    def visited(self, page: int, relevance: float, worth: float) -> list[Draw]:
        """The draws that count from now on: this page, or one visited before whose lot comes up now."""
        if self._refreshed is not None:
            self._drawn, self._refreshed = self._refreshed, None
            self._number_of = {each: number for number, each in enumerate(self._drawn.pages.tolist())}
            self._reached = self._up = 0
            self._seen = {}
        drawn, up_before = self._drawn, self._up
        row = int(np.searchsorted(drawn.waiting, np.int32(page)))  # of another type all that wait would be copied
        if row < len(drawn.waiting) and drawn.waiting[row] == page:
            self._reached = max(self._reached, int(drawn.places[row]) + 1)
        self._up = max(up_before, int(np.searchsorted(drawn.due, self._reached, "right")))
        counting = [number for number in range(up_before, self._up) if number in self._seen]
        number = self._number_of.get(page, -1)
        if number >= 0:
            self._seen[number] = relevance, worth
            if number < self._up:
                counting.append(number)
        return [self._draw(each) for each in counting]

    def _draw(self, number: int) -> Draw:
        drawn = self._drawn
        page, predicted, turn = drawn.pages[number], drawn.predicted[number], drawn.turns[number]
        return Draw(int(page), float(predicted), *self._seen[number], turn=int(turn))


def _turns(numbers: IntArray, share: float) -> FloatArray:
    """When these lots come up, counted from 0, as places in the order."""
    turns: FloatArray = (numbers.astype(np.float64) + 0.5) / share
    return turns


def _places(scores: FloatArray) -> IntArray:
    """The place of each score in descending order, from 0; of equals, the first comes first."""
    places = np.empty(len(scores), np.int32)
    places[np.argsort(-scores, kind="stable")] = np.arange(len(scores), dtype=np.int32)
    return places
