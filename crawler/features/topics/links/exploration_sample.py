"""Visits a random sample of the waiting pages, to test a learner that chooses all other visits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hinterland.analysis.graph import FloatArray, IntArray
from hinterland.analysis.sampling import sampling_numbers


@dataclass(frozen=True, slots=True)
class Draw:
    """A visited page of the sample.

    `predicted` is its predicted relevance when it was drawn, `relevance` its actual relevance, and `worth` what the
    learner gained by it. `turn` is the number of the visit at which the page would have come if visits had followed
    predictions alone.
    """

    page: int
    predicted: float
    relevance: float
    worth: float
    turn: int


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """The sample of one refresh.

    `waiting` holds the waiting pages, ascending, and `places` their positions in the order of visits, from 0, shape
    (n,). The other fields describe the drawn pages in the order in which they were drawn, shape (k,) each; `due` is the
    position in the order of visits at which each joins the sample.
    """

    waiting: IntArray
    places: IntArray
    pages: IntArray
    predicted: FloatArray
    turns: IntArray
    due: FloatArray


def order_with_sample(predicted: FloatArray, pages: IntArray, share: float) -> IntArray:
    """Return the order in which to visit pages, as indices of `pages`, shape (k,).

    The share `share` of the visits goes to a random sample. The other visits go to the pages with the highest
    predictions. `share` is below 1; 0 means no sample.
    """
    turns = (_places(predicted) + 1) / (1 - share)
    if share:
        turns = np.minimum(turns, _turns(_places(-sampling_numbers(pages)), share))
    order: IntArray = np.argsort(turns, kind="stable").astype(np.int32)
    return order


def in_this_order(order: IntArray, scores: FloatArray) -> FloatArray:
    """Return urgencies that put the pages into this order, shape (k,).

    The j-th page in the order gets the j-th largest of all scores, whichever page that score belongs to.
    """
    urgencies = np.empty(len(order))
    urgencies[order] = -np.sort(-scores)
    return urgencies


class ExplorationSample:
    """The pages drawn at random at the last refresh, and how many of them have joined the sample so far. Mutable.

    A drawn page joins the sample when visits reach its position in the order of `order_with_sample`, even if it was
    visited earlier because of its prediction. So all waiting pages are equally likely to be in the sample. Visits are
    not counted, because some of them may go to pages that were found since the refresh.
    """

    def __init__(self, share: float) -> None:
        """Begin without a sample; the share `share` of the visits goes to sampled pages."""
        self._share = share
        nothing = np.zeros(0, np.int32)
        self._refreshed: _Drawn | None = None  # not taken over yet
        self._drawn = _Drawn(nothing, nothing, nothing, np.zeros(0), nothing, np.zeros(0))
        self._number_of: dict[int, int] = {}
        self._reached = self._up = 0  # places of the order reached; drawn pages in the sample
        self._seen: dict[int, tuple[float, float]] = {}

    def refreshed(self, waiting: IntArray, predicted: FloatArray, order: IntArray, visits: int, batch: int) -> None:
        """Draw the sample of a refresh; this is called in another thread.

        `waiting` is ascending, and `order` is the result of `order_with_sample`. `visits` visits have been made, and
        about `batch` will be made until the next refresh. The number of pages drawn is twice the number expected to
        join the sample by then.
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
        """Note a visit; return the visited pages that join the sample now.

        The sample follows a random order of the pages. The page itself joins if that order has reached it already;
        pages visited earlier join if the order reaches them now.
        """
        if self._refreshed is not None:
            self._drawn, self._refreshed = self._refreshed, None
            self._number_of = {each: number for number, each in enumerate(self._drawn.pages.tolist())}
            self._reached = self._up = 0
            self._seen = {}
        drawn, up_before = self._drawn, self._up
        row = int(np.searchsorted(drawn.waiting, np.int32(page)))  # with another type all waiting pages would be copied
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
    """Return the turn of each drawn page, shape (k,).

    `numbers` count the drawn pages from 0, in the order in which they were drawn. The turn is a position in the order
    of all visits; drawn pages take `share` of these positions, evenly spaced.
    """
    turns: FloatArray = (numbers.astype(np.float64) + 0.5) / share
    return turns


def _places(scores: FloatArray) -> IntArray:
    """Return the rank of each score in descending order, from 0; equal scores keep their order."""
    places = np.empty(len(scores), np.int32)
    places[np.argsort(-scores, kind="stable")] = np.arange(len(scores), dtype=np.int32)
    return places
