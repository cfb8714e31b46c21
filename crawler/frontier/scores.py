"""Summarises the waiting pages by urgency: the first few, and a histogram. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hinterland.analysis.graph import FloatArray, IntArray

_TOP = 20
_BINS = 24
_WIDE = 1_000.0


@dataclass(frozen=True, slots=True)
class FrontierScores:
    """A summary of the waiting pages by urgency.

    `waiting` counts all waiting pages. `due` counts pages of infinite urgency, which come before all others and are in
    no bin. `top` holds the most urgent pages as (page, urgency), with None for an infinite urgency. `bins` are (from,
    to, pages), ascending; `from` equals `to` if each bin is a single urgency. `is_logarithmic` says that the edges of
    bins grow by a constant factor rather than a constant step.
    """

    waiting: int
    due: int
    top: list[tuple[int, float | None]]
    bins: list[tuple[float, float, int]]
    is_logarithmic: bool


def scores_of(pages: IntArray, urgencies: FloatArray) -> FrontierScores:
    """Summarise pages and their urgencies, shape (k,) each.

    Takes O(k): a selection and a histogram, no full sort. Any thread may run it.
    """
    if not len(pages):
        return FrontierScores(0, 0, [], [], is_logarithmic=False)
    first = np.argpartition(-urgencies, min(_TOP, len(pages)) - 1)[:_TOP]
    first = first[np.lexsort((pages[first], -urgencies[first]))]
    top = [
        (page, urgency if np.isfinite(urgency) else None)
        for page, urgency in zip(pages[first].tolist(), urgencies[first].tolist(), strict=True)
    ]
    finite = urgencies[np.isfinite(urgencies)]
    bins, is_logarithmic = _bins(finite)
    return FrontierScores(len(pages), int((urgencies == np.inf).sum()), top, bins, is_logarithmic)


def _bins(values: FloatArray) -> tuple[list[tuple[float, float, int]], bool]:
    if not len(values):
        return [], False
    few = np.array(sorted(set(values[:4096].tolist())))
    if len(few) <= _BINS:  # few distinct urgencies, such as depths or counts of links
        places = np.minimum(np.searchsorted(few, values), len(few) - 1)
        if np.array_equal(few[places], values):
            counts = np.bincount(places, minlength=len(few)).tolist()
            return list(zip(few.tolist(), few.tolist(), counts, strict=True)), False
    low, high = float(values.min()), float(values.max())
    is_logarithmic = low > 0 and high / low > _WIDE
    edges = np.geomspace(low, high, _BINS + 1) if is_logarithmic else np.linspace(low, high, _BINS + 1)
    edges[0], edges[-1] = low, high
    counts = np.histogram(values, edges)[0].tolist()
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), counts, strict=True)), is_logarithmic
