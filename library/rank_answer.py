"""Two rankings of the same pages: by the links of their site alone, and as estimated for the whole web. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.estimates.estimate_error import EstimateError
from hinterland.library.other_sources.inlinks import InlinkAnswer
from hinterland.storage.values.pages import NamedPage
from hinterland.storage.values.ranks import EstimateReport

IntArray = NDArray[np.int32]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ranking:
    """The PageRank of pages by the links of their site, and as estimated for the whole web.

    `pages` are ascending numbers, shape (n,). `site` is their PageRank by the links of the domain alone, and `web` by
    the estimator, each of shape (n,). `disagreements` maps each other estimator to the L1 distance between its estimate
    and this one, over all local pages. `error` is the probable L1 distance of the estimate from the true ranks;
    `spreads`, shape (n,), are the factors by which the rank of each page may be off. Both are None if unknown.
    """

    pages: IntArray
    site: FloatArray
    web: FloatArray
    estimator: str
    disagreements: Mapping[str, float]
    error: EstimateError | None = None
    spreads: FloatArray | None = None

    def site_positions(self) -> IntArray:
        """Return the positions by the links of the site alone, shape (n,); 1 is the highest.

        If PageRanks are equal, the page discovered first has the higher position.
        """
        return _positions(self.site)

    def web_positions(self) -> IntArray:
        """Return the positions by the estimated ranks, shape (n,); 1 is the highest, ties as in `site_positions`."""
        return _positions(self.web)

    def top(self, count: int) -> list[int]:
        """Return the indices in `pages` of the `count` pages with the highest estimated ranks."""
        return [int(place) for place in np.argsort(-self.web, kind="stable")[:count]]

    def movers(self, count: int) -> list[int]:
        """Return the indices of up to `count` pages whose two positions differ most.

        If the difference is equal, pages whose PageRanks differ by a larger factor come first.
        """
        moved = np.abs(self.site_positions() - self.web_positions())
        factor = np.abs(np.log(np.maximum(self.web, 1e-300) / np.maximum(self.site, 1e-300)))
        order = np.lexsort((self.pages, -factor, -moved))
        return [int(place) for place in order[:count] if moved[place]]


def _positions(values: FloatArray) -> IntArray:
    positions = np.empty(len(values), np.int32)
    positions[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1, dtype=np.int32)
    return positions


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A page with its ranks as estimated for the web and by its own site.

    `position` and `pagerank` are estimated; `site_position` and `site_pagerank` are by the links of the site alone.
    With a probability of 90% the PageRank lies between `at_least` and `at_most`, and the position between
    `highest_place` and `lowest_place`; None if unknown.
    """

    position: int
    site_position: int
    pagerank: float
    site_pagerank: float
    ratio: float
    url: str
    title: str | None
    at_least: float | None = None
    at_most: float | None = None
    highest_place: int | None = None
    lowest_place: int | None = None


@dataclass(frozen=True, slots=True)
class RankAnswer:
    """The answer of `rank`.

    `ranking` covers the local pages that were fetched. `names` holds the pages that are shown; `top` and `movers` are
    their indices in the ranking. `history` is None if it was not requested. `not_stored` says why the ranks could not
    be stored; "" if they were stored.
    """

    store: str
    ranking: Ranking
    outside_pages: int
    names: Mapping[int, NamedPage]
    top: Sequence[int]
    movers: Sequence[int]
    history: Sequence[EstimateReport] | None
    not_stored: str = ""
    inlinks: InlinkAnswer | None = None

    def rows(self, places: Sequence[int]) -> Iterator[RankedRow]:
        """Yield the pages at these indices of the ranking."""
        ranking = self.ranking
        web, site = ranking.web_positions(), ranking.site_positions()
        spreads = ranking.spreads
        intervals = None
        if spreads is not None and ranking.error is not None:
            intervals = ranking.error.place_intervals(ranking.web, spreads)
        for i in places:
            page = self.names[int(ranking.pages[i])]
            here, there = float(ranking.web[i]), float(ranking.site[i])
            row = RankedRow(
                position=int(web[i]),
                site_position=int(site[i]),
                pagerank=here,
                site_pagerank=there,
                ratio=here / there,
                url=page.url,
                title=page.title,
            )
            if spreads is not None and intervals is not None:
                spread, (highest, lowest) = float(spreads[i]), intervals
                at_most = min(here * spread, 1.0)
                row = replace(
                    row,
                    at_least=here / spread,
                    at_most=at_most,
                    highest_place=int(highest[i]),
                    lowest_place=int(lowest[i]),
                )
            yield row


def _error(error: EstimateError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    return {
        "l1": error.l1,
        "at_most": error.at_most,
        "after_n_2n_4n_pages_more": list(error.outlook()),
        "unlike_known_crawls_by": list(error.unlike),
    }


def as_json(answer: RankAnswer) -> dict[str, Any]:
    """Return the answer as JSON values."""
    shown: dict[str, Any] = {
        "store": answer.store,
        "estimator": answer.ranking.estimator,
        "disagreements": dict(answer.ranking.disagreements),
        "predicted_error": _error(answer.ranking.error),
        "local_pages": len(answer.ranking.pages),
        "outside_pages": answer.outside_pages,
        "inlinks": None if answer.inlinks is None else asdict(answer.inlinks),
        "top": [asdict(each) for each in answer.rows(answer.top)],
        "movers": [asdict(each) for each in answer.rows(answer.movers)],
    }
    if answer.history is not None:
        shown["history"] = [asdict(each) for each in answer.history]
    return shown
