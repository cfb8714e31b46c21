"""Predicts the relevance of pages from the links to them, by a model that learns from the targets of earlier links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from hinterland.analysis.graph import BoolArray, FloatArray, IntArray
from hinterland.analysis.sampling import sampling_numbers
from hinterland.crawler.features.topics.links.joined_relevance import BEST, Join, JoinedRelevance
from hinterland.crawler.features.topics.links.link_features import LIKENESSES, LinkFeatures
from hinterland.crawler.features.topics.links.link_relevance_model import LinkRelevanceModel, log_odds_of, probabilities
from hinterland.crawler.features.topics.links.link_rows import LinkRows
from hinterland.crawler.features.topics.links.seen_relevance import FARTHEST, SeenRelevance

UNTRAINED: Final = LinkRelevanceModel.untrained(
    np.array([0.7, 0.5, 0.5, 0.5, 0.0, -0.5, 0.0, 0.4, 0.4, 0.3]), intercept=-2.0
)
"""The model before anything is learnt: only coefficients of `link_numbers`."""
_MOST_EXAMPLES: Final = 20_000
_ROWS_AT_ONCE: Final = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class SeenLinks:
    """Links of visited pages, shape (k,) each. `hosts` are the hosts of the targets."""

    sources: IntArray
    targets: IntArray
    hosts: IntArray
    features: LinkFeatures

    @classmethod
    def of(cls, rows: LinkRows) -> SeenLinks:
        """Return the links that are kept now, without copying."""
        return cls(rows.sources, rows.targets, rows.hosts, rows.features)

    def those(self, chosen: BoolArray) -> SeenLinks:
        """Return the links that a mask of shape (k,) selects."""
        return SeenLinks(self.sources[chosen], self.targets[chosen], self.hosts[chosen], self.features.those(chosen))

    def part(self, first: int, last: int) -> SeenLinks:
        """Return the links from `first` to `last` - 1."""
        rows = slice(first, last)
        return SeenLinks(self.sources[rows], self.targets[rows], self.hosts[rows], self.features.part(first, last))

    def __len__(self) -> int:
        """Return the number of links."""
        return len(self.targets)


def link_numbers(
    seen: SeenRelevance,
    sources: IntArray,
    hosts: IntArray,
    features: LinkFeatures,
    host_shares: FloatArray,
    without: FloatArray | None = None,
) -> FloatArray:
    """Return ten numbers about each link in addition to its features, shape (k, 10).

    The columns are:

      0, 1  the log-odds of relevance of the target's host, and of the targets of other links of the same page
      2, 3  the relevance of that page, from -1 to 1, and the same if the link stays on its host, else 0
      4     whether the link stays on its host
      5     the number of links since the last relevant page, as a share of FARTHEST
      6     whether no page of the target's host was visited
      7-9   the likenesses of URL, anchor and surrounding words

    `host_shares` holds the expected relevance of the hosts, shape (k,). If the targets were visited, `without` holds
    their worth, and the numbers of each link leave out what its own target contributed.
    """
    numbers = np.empty((len(hosts), 7 + LIKENESSES))
    numbers[:, 0] = host_shares
    numbers[:, 1] = seen.sibling_shares(sources, host_shares, without)
    numbers[:, :2] = log_odds_of(numbers[:, :2])
    numbers[:, 2] = 2.0 * seen.relevance(sources) - 1.0
    numbers[:, 4] = seen.hosts(sources) == hosts
    numbers[:, 3] = numbers[:, 4] * numbers[:, 2]
    numbers[:, 5] = seen.steps(sources) / FARTHEST
    numbers[:, 6] = seen.is_new_host(hosts, without is not None)
    numbers[:, 7:] = features.likenesses
    return numbers


def trained(seen: SeenRelevance, links: SeenLinks) -> LinkRelevanceModel:
    """Return a model learnt from the links whose targets were visited.

    If there are more than 20,000 such links, the last 10,000 and a random sample of 10,000 others are used.
    """
    led = seen.is_visited(links.targets)
    examples = links.those(_chosen(led))
    if not len(examples):
        return UNTRAINED
    outcomes = seen.worth(examples.targets)
    numbers = link_numbers(
        seen,
        examples.sources,
        examples.hosts,
        examples.features,
        seen.host_shares(examples.hosts, seen.relevance(examples.targets)),
        outcomes,
    )
    _, places, counts = np.unique(examples.targets, return_inverse=True, return_counts=True)
    return UNTRAINED.trained(examples.features, numbers, outcomes, 1.0 / counts[places])


def relevance_of_pages(
    model: LinkRelevanceModel,
    seen: SeenRelevance,
    links: SeenLinks,
    host_shares: FloatArray,
    pages: IntArray,
    *,
    unknown: float,
    join: Join = BEST,
) -> FloatArray:
    """Return the relevance that the links to each page predict together, shape (k,).

    `pages` are ascending; pages without links get `unknown`. `host_shares` holds the expected relevance of each host,
    by its number.
    """
    joined = JoinedRelevance(join, len(pages))
    place_of = _places(links.targets, pages)
    for first in range(0, len(links), _ROWS_AT_ONCE):
        part = links.part(first, min(first + _ROWS_AT_ONCE, len(links)))
        part = part.those(place_of[part.targets] >= 0)
        numbers = link_numbers(seen, part.sources, part.hosts, part.features, host_shares[part.hosts])
        joined.add(place_of[part.targets], probabilities(model.log_odds(part.features, numbers)))
    return joined.of_pages(unknown)


def best_of_links(targets: IntArray, scores: FloatArray, pages: IntArray, *, unknown: float) -> FloatArray:
    """Return the best score of the links to each page, shape (k,); `unknown` for pages without links.

    `scores` and `targets` are parallel.
    """
    joined = JoinedRelevance(BEST, len(pages))
    places = _places(targets, pages)[targets]
    leads_there = places >= 0
    joined.add(places[leads_there], scores[leads_there])
    return joined.of_pages(unknown)


def _places(targets: IntArray, pages: IntArray) -> IntArray:
    """Return an array that maps page numbers to indices in `pages`, or to -1 for pages not in `pages`."""
    known = 1 + max(int(targets.max(initial=-1)), int(pages.max(initial=-1)))
    places = np.full(known, -1, np.int32)
    places[pages] = np.arange(len(pages), dtype=np.int32)
    return places


def _chosen(candidates: BoolArray) -> BoolArray:
    """Return a mask that selects the last candidates and a random sample of the others.

    The same rows always give the same sample.
    """
    rows = np.flatnonzero(candidates).astype(np.int32)
    if len(rows) <= _MOST_EXAMPLES:
        return candidates
    recent, older = rows[-_MOST_EXAMPLES // 2 :], rows[: -_MOST_EXAMPLES // 2]
    drawn = older[np.argsort(sampling_numbers(older), kind="stable")[: _MOST_EXAMPLES // 2]]
    chosen = np.zeros(len(candidates), np.bool_)
    chosen[recent] = chosen[drawn] = True
    return chosen
