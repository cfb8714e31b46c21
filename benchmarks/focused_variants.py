"""How the promises of several links to a page are best joined, and whether a distiller helps: variants of `focused`.

    python -m benchmarks.focused_variants full.db                      # as benchmarks.focused_crawl, and its options
    python -m benchmarks.focused_variants --articles wikispeedia-2007

max, noisy-or, mean, min: of the first four links to a page. distiller: max, and 2 more log-odds for pages that the best
tenth of hubs link to, by HITS between hosts weighted by relevance (Chakrabarti, van den Berg & Dom, WWW8 1999).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

import numpy as np

from benchmarks import focused_crawl
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import BoolArray
from hinterland.crawler.features.topics.links.joined_promises import BEST, MEAN, NOISY_OR, WORST, Join
from hinterland.crawler.features.topics.links.link_promises import MetLinks
from hinterland.crawler.features.topics.links.promise_model import PromiseModel, probabilities
from hinterland.crawler.features.topics.links.seen_relevance import SeenRelevance
from hinterland.crawler.features.topics.policies.focused import Focused
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray
from hinterland.crawler.policies import FrontierPolicy, add_policy
from hinterland.lab.hits import hits

_HUBS: Final = 0.1
_LIFT: Final = 2.0
_SURE: Final = 1e-9


def joined_by(how: Join) -> Callable[[int], FrontierPolicy]:
    class Variant(Focused):
        join = how

    return Variant


class Distiller(Focused):
    """Lifts what good hubs link to, at each refresh."""

    _crawled: CrawledGraph

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        self._crawled = crawled
        return super().begin_refresh(crawled, waiting, batch)

    def _promised(self, model: PromiseModel, seen: SeenRelevance, links: MetLinks, waiting: IntArray) -> FloatArray:
        lifted = _linked_from_hubs(self._crawled, seen)[waiting]
        promises = np.clip(super()._promised(model, seen, links, waiting), _SURE, 1 - _SURE)
        return probabilities(np.log(promises / (1 - promises)) + _LIFT * lifted)


def _linked_from_hubs(crawled: CrawledGraph, seen: SeenRelevance) -> BoolArray:
    """Shape (n,). By links between hosts alone, whose pages have one voice together (Bharat & Henzinger 1998)."""
    found, pages = np.zeros(crawled.page_count, np.bool_), crawled.crawled
    hosts = crawled.hosts[pages]
    links = crawled.inner.without_links_within(hosts)
    if not links.link_count:
        return found
    relevance = np.nan_to_num(seen.relevance(pages))
    hubs = hits(links, hosts=hosts, relevance=relevance, tolerance=1e-4).hubs
    if not (hubs > 0).any():
        return found
    is_hub = np.zeros(crawled.page_count, np.bool_)
    is_hub[pages[hubs >= np.quantile(hubs[hubs > 0], 1 - _HUBS)]] = True
    sources, targets = crawled.links.sources, crawled.links.targets
    found[targets[is_hub[sources] & (crawled.hosts[sources] != crawled.hosts[targets])]] = True
    return found


VARIANTS: Final[dict[str, Callable[[int], FrontierPolicy]]] = {
    "max": joined_by(BEST),
    "noisy-or": joined_by(NOISY_OR),
    "mean": joined_by(MEAN),
    "min": joined_by(WORST),
    "distiller": Distiller,
}


def main() -> None:
    for name, make in VARIANTS.items():
        add_policy(name, make)
    focused_crawl.main([*sys.argv[1:], "--policies", ",".join(VARIANTS)])


if __name__ == "__main__":
    main()
