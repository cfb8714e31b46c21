"""Revises judgements of pages, which were based on the words of each page, by the judgements of its neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hinterland.analysis.graph import Graph
from hinterland.crawler.features.topics.links.relaxation import UNKNOWN, relaxed
from hinterland.storage.values.topics import RELEVANT, JudgementRecord


@dataclass(frozen=True, slots=True, eq=False)
class WithNeighbours:
    """Judgements after relaxation.

    `gained` counts pages that have become relevant because of their neighbours, and `lost` pages that are no longer
    relevant.
    """

    judgements: Sequence[JudgementRecord]
    rounds: int
    is_stable: bool
    gained: int
    lost: int


def with_neighbours(
    judgements: Sequence[JudgementRecord], links: Graph, known: Mapping[int, bool], *, max_rounds: int
) -> WithNeighbours:
    """Return judgements that take neighbours into account, by relaxation labelling (see `relaxation`).

    `judgements` are based on the pages' own words, in ascending order of page numbers. `links` is the graph of all
    pages of the store. `known` holds the answers of people, by page, which are not changed.
    """
    judged = [each for each in judgements if each.page < links.page_count]
    pages = np.array([each.page for each in judged], np.int32)
    chances = np.array([each.probability for each in judged])
    labels = np.array([int(known.get(page, UNKNOWN)) for page in pages.tolist()], np.int32)
    done = relaxed(links.among(pages), np.column_stack((1 - chances, chances)), labels, max_rounds=max_rounds)
    found = done.chances[:, 1]
    was, is_now = chances >= RELEVANT, found >= RELEVANT
    return WithNeighbours(
        [JudgementRecord(*each) for each in zip(pages.tolist(), found.tolist(), strict=True)],
        done.rounds,
        done.is_stable,
        int((~was & is_now).sum()),
        int((was & ~is_now).sum()),
    )
